import type { AdmissionPlugin, AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import type { ResourceRef } from '../../../machinery/api-call.ts'
import { semanticEqual } from '../../../machinery/equal.ts'
import { type FieldError, forbidden } from '../../../machinery/field-error.ts'
import { parseApiVersion } from '../../../machinery/object.ts'
import { SYSTEM_MASTERS, type UserInfo } from '../../../machinery/resource/user.ts'
import { invalidObject } from '../../../machinery/status-error.ts'
import { readObject } from '../../../resources/read-objects.ts'
import {
  MUTATING_ADMISSION_POLICIES,
  MUTATING_ADMISSION_POLICY_BINDINGS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../../resources/refs.ts'
import type { ParamKind } from '../../../resources/types/admissionregistration.ts'
import { isAbout, isWrite } from '../requests-about.ts'
import type { AdmissionPolicy, PolicyBinding } from './policy-types.ts'
import type { PolicyDeps } from './validating-policies.ts'

const isPolicy = (r: AdmissionRequest): r is AdmissionRequest<AdmissionPolicy> =>
  isAbout(r, VALIDATING_ADMISSION_POLICIES) || isAbout(r, MUTATING_ADMISSION_POLICIES)
const isBinding = (r: AdmissionRequest): r is AdmissionRequest<PolicyBinding> =>
  isAbout(r, VALIDATING_ADMISSION_POLICY_BINDINGS) || isAbout(r, MUTATING_ADMISSION_POLICY_BINDINGS)

/** A user cannot let a policy read parameters that the user may not read. Upstream does this in the storage of these kinds. */
export function parameterAccess(deps: PolicyDeps): AdmissionPlugin {
  return {
    name: 'PolicyParameterAccess',
    handles: (r) => isWrite(r) && (isPolicy(r) || isBinding(r)) && !r.user.groups.includes(SYSTEM_MASTERS),
    async validate(request) {
      const { object, kind } = request
      if (object === undefined) return
      const fault = isBinding(request)
        ? await bindingFault(request, deps)
        : isPolicy(request)
          ? await policyFault(request, deps)
          : undefined
      if (fault !== undefined) throw invalidObject(kind, object.metadata.name ?? '', [fault])
    },
  }
}

async function policyFault(request: AdmissionRequest<AdmissionPolicy>, deps: PolicyDeps): Promise<FieldError | undefined> {
  const kind = request.object?.spec?.paramKind
  if (kind === undefined || semanticEqual(kind, request.oldObject?.spec?.paramKind)) return undefined
  if (await may(request.user, 'get', kind, { name: '*', namespace: '*' }, deps)) return undefined
  const what = `(kind=${kind.kind ?? ''}, apiVersion=${kind.apiVersion ?? ''})`
  return forbidden(
    'spec.paramKind',
    `user ${userText(request.user)} must have "get" permission on all objects of the referenced paramKind ${what}`,
  )
}

async function bindingFault(request: AdmissionRequest<PolicyBinding>, deps: PolicyDeps): Promise<FieldError | undefined> {
  const { paramRef: ref, policyName } = request.object?.spec ?? {}
  const old = request.oldObject?.spec
  if (ref === undefined) return undefined
  if (semanticEqual(ref, old?.paramRef) && policyName === old?.policyName) return undefined
  const policies: ResourceRef<AdmissionPolicy> = isAbout(request, MUTATING_ADMISSION_POLICY_BINDINGS)
    ? MUTATING_ADMISSION_POLICIES
    : VALIDATING_ADMISSION_POLICIES
  const kind = readObject(deps.reader, policies, '', policyName ?? '')?.spec?.paramKind
  const verb = ref.name ? 'get' : 'list'
  if (await may(request.user, verb, kind, { name: ref.name ?? '', namespace: ref.namespace ?? '' }, deps)) return undefined
  return forbidden(
    'spec.paramRef',
    `user ${userText(request.user)} does not have "${verb}" permission on the object referenced by paramRef`,
  )
}

/** A kind that is not known yet may be any: then the user must be able to read all kinds. */
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
