import type { KubeObject } from '../../machinery/object.ts'
import { splitServiceAccountName } from '../../machinery/resource/service-account-name.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Attributes } from '../identity/authorizer.ts'

interface Subject {
  readonly kind: string
  readonly user?: { readonly name: string }
  readonly group?: { readonly name: string }
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}

interface Rules {
  readonly subjects?: readonly Subject[]
  readonly resourceRules?: readonly {
    readonly verbs: readonly string[]
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly clusterScope?: boolean
    readonly namespaces?: readonly string[]
  }[]
  readonly nonResourceRules?: readonly { readonly verbs: readonly string[]; readonly nonResourceURLs: readonly string[] }[]
}

/** `flowcontrol.apiserver.k8s.io/v1 FlowSchema`, as far as flow control reads it. */
export type FlowSchema = KubeObject<{
  readonly priorityLevelConfiguration?: { readonly name: string }
  readonly matchingPrecedence?: number
  readonly distinguisherMethod?: { readonly type: string }
  readonly rules?: readonly Rules[]
}>

export const isFlowSchema = (object: KubeObject): object is FlowSchema => object.kind === 'FlowSchema'

/** Flow schemas in matching precedence. */
export function inOrder(schemas: readonly FlowSchema[]): FlowSchema[] {
  const precedence = (s: FlowSchema): number => s.spec?.matchingPrecedence ?? 1000
  return schemas.toSorted((a, b) => precedence(a) - precedence(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
}

/** The first schema that matches the request. */
export function matchFlow(schemas: readonly FlowSchema[], a: Attributes): FlowSchema | undefined {
  return schemas.find((schema) =>
    (schema.spec?.rules ?? []).some((rules) => (rules.subjects ?? []).some((s) => isSubject(s, a.user)) && rulesMatch(rules, a)),
  )
}

function isSubject(subject: Subject, user: UserInfo): boolean {
  if (subject.kind === 'User') return subject.user?.name === '*' || subject.user?.name === user.name
  if (subject.kind === 'Group') return subject.group?.name === '*' || user.groups.includes(subject.group?.name ?? '')
  const account = splitServiceAccountName(user.name)
  return (
    account !== undefined &&
    account.namespace === subject.serviceAccount?.namespace &&
    (subject.serviceAccount.name === '*' || subject.serviceAccount.name === account.name)
  )
}

const has = (list: readonly string[] | undefined, wanted: string) => list !== undefined && (list.includes('*') || list.includes(wanted))

function rulesMatch(rules: Rules, a: Attributes): boolean {
  if (!a.resourceRequest) {
    return (rules.nonResourceRules ?? []).some((r) => has(r.verbs, a.verb) && r.nonResourceURLs.some((url) => coversPath(url, a.path)))
  }
  const resource = a.subresource === '' ? a.resource : `${a.resource}/${a.subresource}`
  return (rules.resourceRules ?? []).some(
    (r) =>
      has(r.verbs, a.verb) &&
      has(r.apiGroups, a.group) &&
      has(r.resources, resource) &&
      (a.namespace === '' ? r.clusterScope === true : has(r.namespaces, a.namespace)),
  )
}

/** A path covers itself and all paths below it, whether or not it ends with `*`. */
function coversPath(url: string, path: string): boolean {
  const parent = url.replace(/\*$/, '')
  return url === '*' || url === path || path.startsWith(parent.endsWith('/') ? parent : `${parent}/`)
}

/** The flow distinguisher: requests with the same value belong to one flow. */
export function flowName(schema: FlowSchema, a: Attributes): string {
  const by = schema.spec?.distinguisherMethod?.type
  const part = by === 'ByUser' ? a.user.name : by === 'ByNamespace' ? a.namespace : ''
  return `${schema.metadata.name}/${part}`
}
