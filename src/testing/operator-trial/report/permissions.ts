import type { PolicyRule } from '../../../resources/types/rbac.ts'
import type { TrialCall } from '../program/trial-call.ts'

/** The right to use a verb on a resource. */
export interface Permission {
  readonly group: string
  readonly resource: string
  readonly verb: string
  /** Where; empty: everywhere, or the kind has no namespaces. */
  readonly namespace: string
}

/** A permission in words: `create deployments.apps`. */
export const permissionText = ({ verb, resource, group }: Permission): string => `${verb} ${resource}${group === '' ? '' : `.${group}`}`

/** A rule as an author wrote it, not yet checked by a server. */
type WrittenRule = Partial<PolicyRule>

/** A Role or ClusterRole of a manifest. */
interface WrittenRole {
  readonly kind: string
  readonly metadata: { readonly namespace?: string }
  readonly rules?: readonly WrittenRule[]
}

/** The permissions that were used, compared with those that were requested. */
export interface Permissions {
  /** A ClusterRole with what the requests needed, as YAML. */
  readonly minimal: string
  readonly used: readonly Permission[]
  /** Used, but not requested; empty if none were requested. */
  readonly missing: readonly Permission[]
  /** Requested, but never used in the trial. */
  readonly unused: readonly Permission[]
}

const keyOf = ({ group, resource, verb, namespace }: Permission) => JSON.stringify([group, resource, verb, namespace])

/** Granted to every authenticated user, so no role contains it. */
const EVERYBODYS = new Set(['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'selfsubjectreviews'])

/** What calls needed, collected over worlds. Server-side apply of what does not exist needs `create` too. */
export class UsedPermissions {
  readonly #found = new Map<string, Permission>()

  add(calls: readonly TrialCall[]): void {
    for (const { target, verb, code } of calls) {
      if (target === undefined || verb === '' || EVERYBODYS.has(target.resource)) continue
      // A look whether there is such a kind at all.
      if (code === 404 && target.name === '') continue
      const resource = target.subresource === '' ? target.resource : `${target.resource}/${target.subresource}`
      for (const each of verb === 'patch' && code === 201 ? ['patch', 'create'] : [verb]) {
        const permission = { group: target.group, resource, verb: each, namespace: target.namespace }
        this.#found.set(keyOf(permission), permission)
      }
    }
  }

  /** An operator that lists all namespaces may write into any of them; one that lists a single namespace needs a Role there. */
  get all(): Permission[] {
    const all = [...this.#found.values()]
    const own = (p: Permission) => p.resource === 'leases'
    const wide = all.some((p) => (p.verb === 'list' || p.verb === 'watch') && p.namespace === '' && !own(p))
    const placed = all.map((p) => (wide && !own(p) ? { ...p, namespace: '' } : p))
    return [...new Map(placed.map((p) => [keyOf(p), p])).values()]
  }
}

/** Compares them with the operator's Roles and ClusterRoles. */
export function comparePermissions(used: readonly Permission[], roles: readonly WrittenRole[]): Permissions {
  const rules = roles.flatMap((role) => {
    const namespace = role.kind === 'Role' ? (role.metadata.namespace ?? '') : ''
    return (role.rules ?? []).map((rule) => ({ rule, namespace }))
  })
  const has = (list: readonly string[] | undefined, value: string) => list?.some((v) => v === '*' || v === value) ?? false
  const covers = (rule: WrittenRule, p: Permission) =>
    has(rule.apiGroups, p.group) && has(rule.resources, p.resource) && has(rule.verbs, p.verb)
  // The namespace of the lease is configured: in a trial it may be another one than in the manifest. Events are in the namespaces of their
  // objects.
  const reaches = (namespace: string, p: Permission) =>
    namespace === '' || namespace === p.namespace || ['leases', 'events'].includes(p.resource)
  return {
    minimal: minimalRoles(used),
    used,
    missing: rules.length === 0 ? [] : used.filter((p) => !rules.some(({ rule, namespace }) => covers(rule, p) && reaches(namespace, p))),
    unused: unique(rules.flatMap(({ rule }) => expand(rule))).filter(
      (p) =>
        // No request needs it: clients that set owner references which block deletion need the right.
        !p.resource.endsWith('/finalizers') &&
        !needed(used).some((u) => covers({ apiGroups: [p.group], resources: [p.resource], verbs: [p.verb] }, u)),
    ),
  }
}

/** An informer lists where a server does not support streaming lists: a watch needs both. */
const needed = (used: readonly Permission[]) => used.flatMap((p) => (p.verb === 'watch' ? [p, { ...p, verb: 'list' }] : [p]))

const unique = (permissions: readonly Permission[]) => [...new Map(permissions.map((p) => [keyOf(p), p])).values()]

const expand = ({ apiGroups = [], resources = [], verbs = [] }: WrittenRule): Permission[] =>
  apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb, namespace: '' }))))

/** A ClusterRole, and a Role for each namespace that has permissions of its own. */
function minimalRoles(used: readonly Permission[]): string {
  const places = [...new Set(used.map((p) => p.namespace))].sort()
  return places
    .map((namespace) =>
      roleText(
        used.filter((p) => p.namespace === namespace),
        namespace,
      ),
    )
    .join('\n---\n')
}

function roleText(used: readonly Permission[], namespace: string): string {
  const verbs = new Map<string, Set<string>>()
  for (const { group, resource, verb } of needed(used)) {
    const key = JSON.stringify([group, resource])
    verbs.set(key, (verbs.get(key) ?? new Set()).add(verb))
  }
  // Resources of a group with the same verbs share a rule.
  const rules = new Map<string, string[]>()
  for (const [key, set] of verbs) {
    const [group = '', resource = ''] = JSON.parse(key) as string[]
    const of = JSON.stringify([group, [...set].sort()])
    rules.set(of, [...(rules.get(of) ?? []), resource])
  }
  const lines = [...rules].sort().flatMap(([of, resources]) => {
    const [group, list] = JSON.parse(of) as [string, string[]]
    return [`- apiGroups: [${JSON.stringify(group)}]`, `  resources: [${resources.sort().join(', ')}]`, `  verbs: [${list.join(', ')}]`]
  })
  const place =
    namespace === ''
      ? ['kind: ClusterRole', 'metadata:', '  name: operator']
      : ['kind: Role', 'metadata:', '  name: operator', `  namespace: ${namespace}`]
  return ['apiVersion: rbac.authorization.k8s.io/v1', ...place, 'rules:', ...lines].join('\n')
}
