import { changesSince, snapshotOf } from '../../../apiserver/admission/object-changes.ts'
import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import type { Application } from './bound-policies.ts'
import type { Pace } from './evaluate.ts'

type RecordedStep = Parameters<NonNullable<AdmissionRequest['trail']>['step']>[0]

/** Ends the step of a policy. */
type EndStep = (outcome: RecordedStep['outcome'], message?: string) => void

const NOT_RECORDED: EndStep = () => {}

interface PolicyStep {
  readonly phase: RecordedStep['phase']
  readonly application: Application
  /** Of the expressions of all policies of the request. */
  readonly pace: Pace
}

/** Begins the step of a policy in the trail of a request: its time, its cost and, while somebody watches trails, what it changes. */
export function beginPolicyStep(request: AdmissionRequest, { phase, application: { policy, binding }, pace }: PolicyStep): EndStep {
  const { trail } = request
  if (trail === undefined) return NOT_RECORDED
  const [from, costBefore] = [trail.elapsedMs(), pace.cost]
  const before = trail.detailed && phase !== 'validate' ? snapshotOf(request.object) : undefined
  return (outcome, message) =>
    trail.step({
      phase,
      plugin: phase === 'validate' ? 'ValidatingAdmissionPolicy' : 'MutatingAdmissionPolicy',
      policy: policy.name,
      ...(binding !== undefined && { binding }),
      outcome,
      ...(message !== undefined && { message }),
      milliseconds: trail.elapsedMs() - from,
      cost: pace.cost - costBefore,
      ...(before !== undefined && !before.equals(request.object) && changesSince(before, request.object)),
    })
}
