import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import type { ResourceRegistry } from '../../../apiserver/cache/resource-registry.ts'
import { Pace } from '../../../base/steps.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { listObjects } from '../../../resources/read-objects.ts'
import {
  MUTATING_ADMISSION_POLICIES,
  MUTATING_ADMISSION_POLICY_BINDINGS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../../resources/refs.ts'
import { inVersion } from '../versioned-object.ts'
import type { MatchDeps } from '../webhook/match-webhook.ts'
import type { VersionedRequest } from './activation.ts'
import { collectParams, paramDefinition } from './collect-params.ts'
import { type CompiledPolicy, compiledPolicy } from './compile-policy.ts'
import { matchResources } from './match-resources.ts'
import { type AdmissionPolicy, type BindingSpec, type PolicyBinding, PolicyConfigurationError } from './policy-types.ts'

const GROUP = 'admissionregistration.k8s.io'

export interface BoundDeps extends MatchDeps {
  readonly reader: Reader
  readonly definitions: ResourceRegistry
}

/** A bound policy with one set of parameters and the request in its version; or the error that prevents its application. */
export type Application =
  | {
      readonly kind: 'apply'
      readonly policy: CompiledPolicy
      readonly binding: string
      readonly actions: readonly string[]
      readonly params: KubeObject | undefined
      /** Identical for all applications of one policy. */
      readonly version: string
    }
  | { readonly kind: 'misconfigured'; readonly policy: CompiledPolicy; readonly binding: string | undefined; readonly message: string }

/** Policies never intercept admission configuration, nor objects that are not stored. */
const EXEMPT: Readonly<Record<string, readonly string[]>> = {
  [GROUP]: [
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  ],
  'authentication.k8s.io': ['selfsubjectreviews', 'tokenreviews'],
  'authorization.k8s.io': ['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'],
}
const NONE: readonly string[] = []

export const isExempt = ({ resource }: AdmissionRequest): boolean =>
  (Object.hasOwn(EXEMPT, resource.group) ? (EXEMPT[resource.group] ?? NONE) : NONE).includes(resource.resource)

const byName = (a: KubeObject, b: KubeObject) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1)

/** All applications of policies of a kind to a request, ordered by the names of policies and bindings. */
export async function applicationsTo(
  request: AdmissionRequest,
  kind: 'validating' | 'mutating',
  policies: readonly AdmissionPolicy[],
  deps: BoundDeps,
): Promise<readonly Application[]> {
  const bindings = Map.groupBy(bindingsOf(deps.reader, kind), (b) => b.spec?.policyName ?? '')
  const out: Application[] = []
  const pace = new Pace()
  for (const object of policies.toSorted(byName)) {
    const bound = bindings.get(object.metadata.name ?? '')
    if (bound === undefined) continue
    const match = matchResources(object.spec?.matchConstraints ?? {}, request, deps)
    if (match !== undefined)
      out.push(...(await applicationsOf(await compiledPolicy(object, pace), bound.toSorted(byName), request, match.version, deps)))
  }
  return out
}

async function applicationsOf(
  policy: CompiledPolicy,
  bindings: readonly PolicyBinding[],
  request: AdmissionRequest,
  version: string,
  deps: BoundDeps,
): Promise<Application[]> {
  const { paramKind } = policy.spec
  try {
    if (paramKind !== undefined) paramDefinition(paramKind, deps)
  } catch (error) {
    return [misconfigured(policy, undefined, error)]
  }
  const out: Application[] = []
  for (const { metadata, spec: given } of bindings) {
    const spec: BindingSpec = given ?? {}
    const binding = metadata.name ?? ''
    if (spec.matchResources !== undefined && matchResources(spec.matchResources, request, deps) === undefined) continue
    try {
      const actions = spec.validationActions ?? []
      for (const params of await collectParams(paramKind, spec.paramRef, request.namespace, deps))
        out.push({ kind: 'apply', policy, binding, actions, params, version })
    } catch (error) {
      out.push(misconfigured(policy, binding, error))
    }
  }
  return out
}

function misconfigured(policy: CompiledPolicy, binding: string | undefined, error: unknown): Application {
  if (!(error instanceof PolicyConfigurationError)) throw error
  const what = binding === undefined ? 'policy' : 'binding'
  return { kind: 'misconfigured', policy, binding, message: `failed to configure ${what}: ${error.message}` }
}

/** The request in that version. */
export async function seenIn(
  version: string,
  request: AdmissionRequest,
  { definitions }: Pick<BoundDeps, 'definitions'>,
): Promise<VersionedRequest> {
  const same = version === request.resource.version
  const [object, oldObject] = same
    ? [request.object, request.oldObject]
    : await Promise.all([
        inVersion(definitions, request, request.object, version),
        inVersion(definitions, request, request.oldObject, version),
      ])
  return { request, version, kind: same ? request.kind : { ...request.kind, version }, object, oldObject }
}

/** The policies of a kind; usually there are none. */
export const policiesOf = (reader: Reader, kind: 'validating' | 'mutating'): readonly AdmissionPolicy[] =>
  listObjects<AdmissionPolicy>(reader, kind === 'validating' ? VALIDATING_ADMISSION_POLICIES : MUTATING_ADMISSION_POLICIES)

const bindingsOf = (reader: Reader, kind: 'validating' | 'mutating'): readonly PolicyBinding[] =>
  listObjects<PolicyBinding>(reader, kind === 'validating' ? VALIDATING_ADMISSION_POLICY_BINDINGS : MUTATING_ADMISSION_POLICY_BINDINGS)
