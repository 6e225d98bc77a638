import type { KubeObject } from '../../machinery/object.ts'
import type { TrialCall } from './trial-proxy.ts'

/** One thing that somebody may do. */
export interface Permission {
  readonly group: string
  readonly resource: string
  readonly verb: string
}

/** A rule of a Role or ClusterRole, as it is written. */
interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly verbs?: readonly string[]
}

/** What was needed, and how that is beside what was asked for. */
export interface Permissions {
  /** A ClusterRole with what the requests needed, as YAML. */
  readonly minimal: string
  readonly used: readonly Permission[]
  /** Used, and not asked for; empty where nothing was asked for. */
  readonly missing: readonly Permission[]
  /** Asked for, and never used in the trial. */
  readonly unused: readonly Permission[]
}

const keyOf = ({ group, resource, verb }: Permission) => `${group}|${resource}|${verb}`

/** What calls needed. Server-side apply of what does not exist needs `create` too. */
export function usedPermissions(calls: readonly TrialCall[]): Permission[] {
  const found = new Map<string, Permission>()
  for (const { target, verb, code } of calls) {
    if (target === undefined || verb === '') continue
    const resource = target.subresource === '' ? target.resource : `${target.resource}/${target.subresource}`
    for (const each of verb === 'patch' && code === 201 ? ['patch', 'create'] : [verb]) {
      const permission = { group: target.group, resource, verb: each }
      found.set(keyOf(permission), permission)
    }
  }
  return [...found.values()]
}

/** Compares them with the Roles and ClusterRoles that the operator brings. */
export function comparePermissions(used: readonly Permission[], roles: readonly KubeObject[]): Permissions {
  const rules = roles.flatMap((role): readonly Rule[] => (Array.isArray(role.rules) ? role.rules : []))
  const has = (list: readonly string[] | undefined, value: string) => list?.some((v) => v === '*' || v === value) ?? false
  const covers = (rule: Rule, p: Permission) => has(rule.apiGroups, p.group) && has(rule.resources, p.resource) && has(rule.verbs, p.verb)
  const asked = rules.flatMap(expand)
  const usedKeys = new Set(used.map(keyOf))
  return {
    minimal: minimalRole(used),
    used,
    missing: rules.length === 0 ? [] : used.filter((p) => !rules.some((rule) => covers(rule, p))),
    unused: asked.filter(
      (p) => !usedKeys.has(keyOf(p)) && !used.some((u) => covers({ apiGroups: [p.group], resources: [p.resource], verbs: [p.verb] }, u)),
    ),
  }
}

const expand = ({ apiGroups = [], resources = [], verbs = [] }: Rule): Permission[] =>
  apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))))

function minimalRole(used: readonly Permission[]): string {
  const verbs = new Map<string, Set<string>>()
  for (const { group, resource, verb } of used) {
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
  return ['apiVersion: rbac.authorization.k8s.io/v1', 'kind: ClusterRole', 'metadata:', '  name: operator', 'rules:', ...lines].join('\n')
}
