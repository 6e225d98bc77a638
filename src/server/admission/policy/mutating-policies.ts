import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { messageOf } from '../../../base/message-of.ts'
import { giveTurn } from '../../../base/turns.ts'
import { asJson, type Json, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { internalError, StatusError, type StatusReason } from '../../../machinery/status-error.ts'
import { isHeavy } from '../../../machinery/weight.ts'
import { type KnownTypes, patchedVersion } from '../patched-version.ts'
import { Reinvocations } from '../reinvocations.ts'
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

/** `kinds`: the types that a patched object may name. */
export interface MutatingPolicyDeps extends PolicyDeps, Pick<KnownTypes, 'kinds'> {}

/** MutatingAdmissionPolicy: bound policies patch the object, or apply configurations to it, one after the other. */
export function mutatingPolicies(deps: MutatingPolicyDeps): AdmissionPlugin {
  const begun = new WeakMap<AdmissionRequest, Reinvocations<string>>()
  return {
    name: 'MutatingAdmissionPolicy',
    handles: (r) => !isExempt(r),
    mutate(request) {
      const policies = policiesOf(deps.reader, 'mutating')
      if (policies.length === 0) return undefined
      const reinvocations = new Reinvocations<string>()
      begun.set(request, reinvocations)
      return mutateFirst(policies, request, reinvocations, deps)
    },
    reinvoke(request) {
      const reinvocations = begun.get(request)
      return reinvocations && mutateAgain(request, reinvocations, deps)
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
  readonly deps: MutatingPolicyDeps
  readonly phase: 'mutate' | 'reinvoke'
  readonly pace: Pace
  readonly refusals: Refusal[]
  /** Whether any mutation was carried out; it may have left the object as it was. */
  mutated: boolean
}

/** What applying a policy costs beside its expressions, in units of cost. */
const UNITS_OF_APPLICATION = 500

const keyOf = (a: Applied) => JSON.stringify([a.policy.name, a.binding, a.params?.metadata.namespace, a.params?.metadata.name])

async function mutateFirst(
  policies: readonly AdmissionPolicy[],
  request: AdmissionRequest,
  reinvocations: Reinvocations<string>,
  deps: MutatingPolicyDeps,
): Promise<void> {
  const pass: Pass = { deps, phase: 'mutate', pace: new Pace(), refusals: [], mutated: false }
  const applications = await applicationsTo(request, 'mutating', policies, deps)
  for (const application of applications) {
    if (application.kind !== 'misconfigured') continue
    pass.refusals.push({ application, message: application.message, reason: 'Forbidden' })
    beginPolicyStep(request, { ...pass, application })('failed', application.message)
  }
  for (const application of applications) {
    if (application.kind === 'misconfigured') continue
    const ran = await mutateRecorded(application, request, pass)
    if (ran && application.policy.spec.reinvocationPolicy === 'IfNeeded') reinvocations.ran(keyOf(application))
  }
  if (pass.mutated) {
    reinvocations.changed()
    request.requireReinvocation()
  }
  reinvocations.endFirst(request.object)
  refuse(request, pass.refusals)
}

/** Reinvokes the policies that are due. */
async function mutateAgain(request: AdmissionRequest, reinvocations: Reinvocations<string>, deps: MutatingPolicyDeps): Promise<void> {
  reinvocations.beginSecond(request.object)
  if (!reinvocations.anyDue) return
  const pass: Pass = { deps, phase: 'reinvoke', pace: new Pace(), refusals: [], mutated: false }
  for (const application of await applicationsTo(request, 'mutating', policiesOf(deps.reader, 'mutating'), deps))
    if (application.kind !== 'misconfigured' && reinvocations.isDue(keyOf(application))) await mutateRecorded(application, request, pass)
  refuse(request, pass.refusals)
}

/** Whether the policy's conditions held. */
async function mutateRecorded(application: Applied, request: AdmissionRequest, pass: Pass): Promise<boolean> {
  const end = beginPolicyStep(request, { ...pass, application })
  const before = pass.refusals.length
  const ran = await mutateOne(application, request, pass)
  const refused = pass.refusals[before]
  end(refused === undefined ? 'passed' : 'failed', refused?.message)
  return ran
}

async function mutateOne(application: Applied, request: AdmissionRequest, pass: Pass): Promise<boolean> {
  const { deps, pace, refusals } = pass
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
    if (!(await inTurnsUntilAnswered(() => wantsMutation(policy, scopeOf(policy, variables, params), pace)))) return false
  } catch (error) {
    refused(error)
    return false
  }
  for (const mutation of policy.mutations) {
    if (seen.object === undefined) return true
    try {
      const variables = activation(seen, deps)
      const change = await untilAnswered(() => planMutation(mutation, scopeOf(policy, variables, params), pace))
      await carryOut(change, seen, seen.object, deps)
      pass.mutated = true
      seen = await seenIn(version, request, deps)
    } catch (error) {
      refused(error)
    }
  }
  return true
}

async function carryOut(change: Change, seen: VersionedRequest, object: KubeObject, deps: MutatingPolicyDeps): Promise<void> {
  const json = asJson(object)
  const result = change.kind === 'patch' ? patched(object, change.operations) : merged(change.configuration, seen, object, deps)
  if (result === json) return
  try {
    const version = change.kind === 'patch' ? versionOf(result, seen, object, deps) : seen.version
    await replaceObject(deps.definitions, seen.request, object, result, { version, ofPolicy: true })
  } catch (error) {
    if (error instanceof StatusError) throw error
    throw change.kind === 'patch' ? internalError(error) : new MutationError(messageOf(error))
  }
}

/** The version of a patched object, which is of the same kind. */
function versionOf(patched: Json, { request, version }: VersionedRequest, seen: KubeObject, deps: MutatingPolicyDeps): string {
  const { group, resource } = request.resource
  try {
    return patchedVersion(deps, deps.definitions.get(group, resource), { patched, seen, version })
  } catch (error) {
    // Without a reason: it is of a type that cannot be converted.
    if (!(error instanceof StatusError) || error.status.reason !== undefined) throw error
    throw internalError(new Error(`failed to convert object: ${error.message}`))
  }
}

function merged(configuration: JsonObject, seen: VersionedRequest, object: KubeObject, { definitions }: MutatingPolicyDeps): Json {
  const { group, resource } = seen.request.resource
  const definition = definitions.get(group, resource)
  const schema = definition?.versions.find((v) => v.version === seen.version)?.schema
  if (schema === undefined || object.kind !== definition?.names.kind)
    throw new MutationError(`error applying patch: no type is known for ${object.apiVersion}, Kind=${object.kind}`)
  const { apiVersion, kind } = object
  return applyConfiguration(schema(), object, { ...configuration, apiVersion, kind })
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
