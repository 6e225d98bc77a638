import type { AdmissionPlugin, AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { semanticEqual } from '../../../machinery/equal.ts'
import { type FieldError, forbidden } from '../../../machinery/field-error.ts'
import { type KubeObject, parseApiVersion } from '../../../machinery/object.ts'
import { SYSTEM_MASTERS, type UserInfo } from '../../../machinery/resource/user.ts'
import { invalidObject } from '../../../machinery/status-error.ts'
import type { ParamKind, ParamRef } from './policy-types.ts'
import type { PolicyDeps } from './validating-policies.ts'

const GROUP = 'admissionregistration.k8s.io'
const WRITES = new Set(['CREATE', 'UPDATE'])
const POLICIES = new Set(['validatingadmissionpolicies', 'mutatingadmissionpolicies'])
const BINDINGS: Readonly<Record<string, string>> = {
  validatingadmissionpolicybindings: 'validatingadmissionpolicies',
  mutatingadmissionpolicybindings: 'mutatingadmissionpolicies',
}

/** Nobody lets a policy read parameters that they may not read themselves. Upstream does this in the storage of these kinds. */
export function parameterAccess(deps: PolicyDeps): AdmissionPlugin {
  return {
    name: 'PolicyParameterAccess',
    handles: (r) =>
      r.resource.group === GROUP &&
      r.subresource === '' &&
      WRITES.has(r.operation) &&
      (POLICIES.has(r.resource.resource) || Object.hasOwn(BINDINGS, r.resource.resource)) &&
      !r.user.groups.includes(SYSTEM_MASTERS),
    async validate(request) {
      const { object, kind } = request
      if (object === undefined) return
      const policies = BINDINGS[request.resource.resource]
      const fault = policies === undefined ? await policyFault(request, object, deps) : await bindingFault(request, object, policies, deps)
      if (fault !== undefined) throw invalidObject(kind, object.metadata.name ?? '', [fault])
    },
  }
}

async function policyFault(request: AdmissionRequest, policy: KubeObject, deps: PolicyDeps): Promise<FieldError | undefined> {
  const kind: ParamKind | undefined = policy.spec?.paramKind
  if (kind === undefined || semanticEqual(kind, request.oldObject?.spec?.paramKind)) return undefined
  if (await may(request.user, 'get', kind, { name: '*', namespace: '*' }, deps)) return undefined
  const what = `(kind=${kind.kind ?? ''}, apiVersion=${kind.apiVersion ?? ''})`
  return forbidden(
    'spec.paramKind',
    `user ${userText(request.user)} must have "get" permission on all objects of the referenced paramKind ${what}`,
  )
}

async function bindingFault(
  request: AdmissionRequest,
  binding: KubeObject,
  policies: string,
  deps: PolicyDeps,
): Promise<FieldError | undefined> {
  const ref: ParamRef | undefined = binding.spec?.paramRef
  const old = request.oldObject?.spec
  if (ref === undefined) return undefined
  if (semanticEqual(ref, old?.paramRef) && binding.spec?.policyName === old?.policyName) return undefined
  const kind: ParamKind | undefined = deps.reader.get(GROUP, policies, '', String(binding.spec?.policyName ?? ''))?.spec?.paramKind
  const verb = ref.name ? 'get' : 'list'
  if (await may(request.user, verb, kind, { name: ref.name ?? '', namespace: ref.namespace ?? '' }, deps)) return undefined
  return forbidden(
    'spec.paramRef',
    `user ${userText(request.user)} does not have "${verb}" permission on the object referenced by paramRef`,
  )
}

/** A kind that is not known yet may be any: then the user must be able to read all of them. */
async function may(
  user: UserInfo,
  verb: string,
  kind: ParamKind | undefined,
  where: { readonly name: string; readonly namespace: string },
  { authorizer, definitions }: PolicyDeps,
): Promise<boolean> {
  const gv = kind && parseApiVersion(kind.apiVersion ?? '')
  const resource = (gv && definitions.byKind(gv.group, kind.kind ?? '')?.names.plural) ?? '*'
  const attributes = resourceAttributes({ user, verb, group: gv?.group ?? '*', version: gv?.version ?? '*', resource, ...where })
  return (await authorizer.authorize(attributes)).verdict === 'allow'
}

/** As Go prints it. */
function userText({ name, uid = '', groups, extra = {} }: UserInfo): string {
  const entries = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${(extra[key] ?? []).join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${entries.join(' ')}]}`
}
