import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import type { Authorizer } from '../../../apiserver/identity/authorizer.ts'
import type { Later } from '../../../base/steps.ts'
import {
  type AccessDecision,
  type AccessQuestion,
  authorizerValue,
  type CheckAccess,
  rememberResponses,
  requestResourceValue,
} from '../../../machinery/cel/admission/authorizer.ts'
import { celDynamic } from '../../../machinery/cel/schema/cel-value.ts'
import type { Value } from '../../../machinery/cel/values.ts'
import type { GroupVersionKind, KubeObject } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import type { UserInfo } from '../../../machinery/resource/user.ts'
import type { Variables } from './evaluate.ts'

/** A request in the version that the policy matches. */
export interface VersionedRequest {
  readonly request: AdmissionRequest
  readonly version: string
  readonly kind: GroupVersionKind
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
}

export interface ActivationDeps {
  readonly reader: Reader
  readonly authorizer: Authorizer
}

/** The variables that all expressions of one request share, without `params`. */
export function activation(seen: VersionedRequest, deps: ActivationDeps): Variables {
  return {
    object: celDynamic(seen.object),
    oldObject: celDynamic(seen.oldObject),
    request: requestValue(seen),
    namespaceObject: namespaceValue(seen.request, deps.reader),
    ...authorizerVariables(seen.request, deps.authorizer),
  }
}

/** `authorizer` and `authorizer.requestResource`, for the user of the request. */
export function authorizerVariables(request: AdmissionRequest, authorizer: Authorizer): Variables {
  const ask: CheckAccess = rememberResponses((question) => askAuthorizer(question, request.user, authorizer))
  const { group, resource } = request.resource
  const own = { group, resource, subresource: request.subresource, namespace: request.namespace, name: request.name }
  return { authorizer: authorizerValue(ask), 'authorizer.requestResource': requestResourceValue(ask, own) }
}

function askAuthorizer(q: AccessQuestion, user: UserInfo, authorizer: Authorizer): Later<AccessDecision> {
  const decision = authorizer.authorize({
    user: q.serviceAccount === undefined ? user : serviceAccountUser(q.serviceAccount),
    verb: q.verb,
    resourceRequest: q.path === undefined,
    group: q.group ?? '',
    version: q.path === undefined ? '*' : '',
    resource: q.resource ?? '',
    subresource: q.subresource ?? '',
    namespace: q.namespace ?? '',
    name: q.name ?? '',
    path: q.path ?? '',
    ...(q.fieldSelector === undefined ? {} : { fieldSelector: q.fieldSelector }),
    ...(q.labelSelector === undefined ? {} : { labelSelector: q.labelSelector }),
  })
  const answer = (d: Awaited<typeof decision>): AccessDecision => ({
    allowed: d.verdict === 'allow',
    reason: d.reason,
    ...(d.error === undefined ? {} : { error: d.error }),
  })
  return decision instanceof Promise ? decision.then(answer) : answer(decision)
}

const serviceAccountUser = ({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
})

/** `admission.k8s.io/v1 AdmissionRequest` without the objects, and without empty fields. */
function requestValue({ request, version, kind }: VersionedRequest): Value {
  const { user, subresource, name, namespace } = request
  return celDynamic({
    uid: '',
    kind,
    resource: { ...request.resource, version },
    requestKind: request.kind,
    requestResource: request.resource,
    ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: request.operation,
    userInfo: {
      username: user.name,
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(user.extra && Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
    },
    dryRun: request.dryRun,
    options: request.options,
  })
}

const METADATA = [
  'name',
  'generateName',
  'namespace',
  'labels',
  'annotations',
  'uid',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'resourceVersion',
  'finalizers',
] as const

/** The namespace of the request; null for cluster-scoped objects and namespaces. */
function namespaceValue(request: AdmissionRequest, reader: Reader): Value {
  const isNamespace = request.kind.group === '' && request.kind.kind === 'Namespace'
  const found = request.namespace === '' || isNamespace ? undefined : reader.get('', 'namespaces', '', request.namespace)
  if (found === undefined) return null
  const metadata = Object.fromEntries(METADATA.flatMap((k) => (found.metadata[k] === undefined ? [] : [[k, found.metadata[k]]])))
  return celDynamic({ apiVersion: 'v1', kind: 'Namespace', metadata, spec: found.spec ?? {}, status: found.status ?? {} })
}
