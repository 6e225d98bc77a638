import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { messageOf } from '../../../base/message-of.ts'
import { giveTurn } from '../../../base/turns.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { asJson, cloneJson, type Json, type KubeObject } from '../../../machinery/object.ts'
import { StatusError, type StatusReason } from '../../../machinery/status-error.ts'
import { isHeavy } from '../../../machinery/weight.ts'
import { replaceObject } from '../versioned-object.ts'
import { activation, type VersionedRequest } from './activation.ts'
import { applyConfiguration } from './apply-configuration.ts'
import { type Application, applicationsTo, isExempt, policiesOf, seenIn } from './bound-policies.ts'
import { inTurnsUntilAnswered, Pace, untilAnswered } from './evaluate.ts'
import { type Change, MutationError, patched, planMutation, scopeOf, wantsMutation } from './mutate-policy.ts'
import { beginPolicyStep } from './policy-step.ts'
import type { AdmissionPolicy } from './policy-types.ts'
import type { PolicyDeps } from './validating-policies.ts'

type Applied = Application & { readonly kind: 'apply' }

/** What the policies did to a request so far: they are reinvoked when a later plugin changes the object. */
interface Progress {
  /** The policies to reinvoke, with the object as each left it. */
  readonly again: Map<string, KubeObject | undefined>
}

/** MutatingAdmissionPolicy: bound policies patch the object, or apply configurations to it, one after the other. */
export function mutatingPolicies(deps: PolicyDeps): AdmissionPlugin {
  const progress = new WeakMap<AdmissionRequest, Progress>()
  return {
    name: 'MutatingAdmissionPolicy',
    handles: (r) => !isExempt(r),
    mutate(request) {
      const policies = policiesOf(deps.reader, 'mutating')
      if (policies.length === 0) return undefined
      const made: Progress = { again: new Map() }
      progress.set(request, made)
      return mutateAll(policies, request, made, deps)
    },
    reinvoke(request) {
      const made = progress.get(request)
      if (made === undefined || made.again.size === 0) return undefined
      return mutateAgain(request, made, deps)
    },
  }
}

interface Refusal {
  readonly application: Application
  readonly message: string
  readonly reason: StatusReason
}

/** One pass of all policies over a request. */
interface Pass {
  readonly deps: PolicyDeps
  readonly phase: 'mutate' | 'reinvoke'
  readonly pace: Pace
  readonly refusals: Refusal[]
}

/** What applying a policy costs beside its expressions, in units of cost. */
const UNITS_OF_APPLICATION = 500

const keyOf = (a: Applied) => JSON.stringify([a.policy.name, a.binding, a.params?.metadata.namespace, a.params?.metadata.name])

async function mutateAll(
  policies: readonly AdmissionPolicy[],
  request: AdmissionRequest,
  progress: Progress,
  deps: PolicyDeps,
): Promise<void> {
  const refusals: Refusal[] = []
  const pass: Pass = { deps, phase: 'mutate', pace: new Pace(), refusals }
  for (const application of await applicationsTo(request, 'mutating', policies, deps)) {
    if (application.kind === 'misconfigured') {
      const reason = application.binding === undefined ? 'InternalError' : 'Invalid'
      refusals.push({ application, message: application.message, reason })
      beginPolicyStep(request, { ...pass, application })('failed', application.message)
      continue
    }
    await mutateRecorded(application, request, pass)
    if (application.policy.spec.reinvocationPolicy === 'IfNeeded') progress.again.set(keyOf(application), cloneJson(request.object))
  }
  refuse(request, refusals)
}

/** Reinvokes the policies that saw a different object. */
async function mutateAgain(request: AdmissionRequest, progress: Progress, deps: PolicyDeps): Promise<void> {
  const refusals: Refusal[] = []
  const pass: Pass = { deps, phase: 'reinvoke', pace: new Pace(), refusals }
  for (const application of await applicationsTo(request, 'mutating', policiesOf(deps.reader, 'mutating'), deps)) {
    if (application.kind === 'misconfigured' || !progress.again.has(keyOf(application))) continue
    if (!equalJson(progress.again.get(keyOf(application)), request.object)) await mutateRecorded(application, request, pass)
  }
  refuse(request, refusals)
}

async function mutateRecorded(application: Applied, request: AdmissionRequest, pass: Pass): Promise<void> {
  const end = beginPolicyStep(request, { ...pass, application })
  const before = pass.refusals.length
  await mutateOne(application, request, pass)
  const refused = pass.refusals[before]
  end(refused === undefined ? 'passed' : 'failed', refused?.message)
}

async function mutateOne(application: Applied, request: AdmissionRequest, { deps, pace, refusals }: Pass): Promise<void> {
  const { policy, params, version } = application
  pace.work(UNITS_OF_APPLICATION)
  if (pace.isDue || isHeavy(request.object)) await giveTurn()
  const refused = (error: unknown) => {
    if (!(error instanceof MutationError)) throw error
    refusals.push({ application, message: error.message, reason: 'Invalid' })
  }
  let seen = await seenIn(version, request, deps)
  try {
    const variables = activation(seen, deps)
    if (!(await inTurnsUntilAnswered(() => wantsMutation(policy, scopeOf(policy, variables, params), pace)))) return
  } catch (error) {
    return refused(error)
  }
  for (const mutation of policy.mutations) {
    if (seen.object === undefined) return
    try {
      const variables = activation(seen, deps)
      const change = await untilAnswered(() => planMutation(mutation, scopeOf(policy, variables, params), pace))
      await carryOut(change, seen, seen.object, deps)
      seen = await seenIn(version, request, deps)
    } catch (error) {
      refused(error)
    }
  }
}

async function carryOut(change: Change, seen: VersionedRequest, object: KubeObject, deps: PolicyDeps): Promise<void> {
  const json = asJson(object)
  const result = change.kind === 'patch' ? patched(object, change.operations) : merged(change.configuration, seen, object, deps)
  if (result === json) return
  try {
    await replaceObject(deps.definitions, seen.request, object, result, seen.version)
  } catch (error) {
    throw error instanceof StatusError ? error : new MutationError(messageOf(error))
  }
}

function merged(configuration: Json, seen: VersionedRequest, object: KubeObject, { definitions }: PolicyDeps): Json {
  const { group, resource } = seen.request.resource
  const definition = definitions.get(group, resource)
  const schema = definition?.versions.find((v) => v.version === seen.version)?.schema
  if (schema === undefined || object.kind !== definition?.names.kind)
    throw new MutationError(`error applying patch: no type is known for ${object.apiVersion}, Kind=${object.kind}`)
  return applyConfiguration(schema(), object, configuration)
}

/** Throws if a policy with failure policy Fail could not be applied. */
function refuse(request: AdmissionRequest, refusals: readonly Refusal[]): void {
  const serious = refusals.filter((r) => r.application.policy.spec.failurePolicy !== 'Ignore')
  const texts = serious.map(({ application: { policy, binding }, message }) =>
    binding === undefined
      ? `policy ${JSON.stringify(policy.name)} denied request: ${message}`
      : `policy '${policy.name}' with binding '${binding}' denied request: ${message}`,
  )
  const [first] = texts
  if (first === undefined) return
  const { status } = refusal(request, 'admission request denied by policy')
  throw new StatusError({
    code: 403,
    reason: serious[0]?.reason ?? 'Forbidden',
    message: first,
    details: { ...status.details, causes: texts.map((message) => ({ message })) },
  })
}
