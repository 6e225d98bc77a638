import type { ObjectMeta } from '../../machinery/object.ts'
import type {
  AggregationRule,
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../resources/types/rbac.ts'
import { RBAC_GROUP } from '../auth/rbac/rbac-policy.ts'

const API_VERSION = `${RBAC_GROUP}/v1` as const
const AGGREGATE = `${RBAC_GROUP}/aggregate-to-`
const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
const ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }

/** A role without its kind. */
interface WrittenRole {
  readonly metadata: ObjectMeta
  readonly aggregationRule?: AggregationRule
  readonly rules: PolicyRule[]
}

/**
 * A compact notation for roles. A line without indentation starts a role: its name (after its namespace, for a Role), then `+view`
 * (aggregated to the role `view`) or `<view` (the aggregated role itself). Each indented line is a rule: `get,list core,apps: pods
 * deployments` with `= name name` for resource names, or `get /healthz /livez` for URLs.
 */
export const readClusterRoles = (text: string): ClusterRole[] =>
  readRoles('ClusterRole', text).map(({ metadata, aggregationRule, rules }) => ({
    apiVersion: API_VERSION,
    kind: 'ClusterRole',
    metadata,
    ...(aggregationRule !== undefined && { aggregationRule }),
    // An aggregated role has no rules of its own: the field is absent, not empty.
    ...((aggregationRule === undefined || rules.length > 0) && { rules }),
  }))

/** The same for namespaced roles, which do not aggregate. */
export const readNamespacedRoles = (text: string): Role[] =>
  readRoles('Role', text).map(({ metadata, rules }) => ({ apiVersion: API_VERSION, kind: 'Role', metadata, rules }))

function readRoles(kind: 'Role' | 'ClusterRole', text: string): WrittenRole[] {
  const roles: WrittenRole[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    if (!line.startsWith(' ')) roles.push(readHead(kind, line))
    else roles.at(-1)?.rules.push(readRule(line.trim()))
  }
  return roles
}

function readHead(kind: 'Role' | 'ClusterRole', line: string): WrittenRole {
  const words = line.split(' ')
  const namespace = kind === 'Role' ? words.shift() : undefined
  const [name = '', ...marks] = words
  const labels: Record<string, string> = { ...LABELS }
  let aggregate: string | undefined
  for (const mark of marks) {
    if (mark.startsWith('+')) labels[AGGREGATE + mark.slice(1)] = 'true'
    else aggregate = mark.slice(1)
  }
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations: { ...ANNOTATIONS } },
    ...(aggregate === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [AGGREGATE + aggregate]: 'true' } }] } }),
    rules: [],
  }
}

function readRule(line: string): PolicyRule {
  const [verbs = '', second = '', ...rest] = line.split(' ')
  if (!second.endsWith(':')) return { verbs: verbs.split(','), nonResourceURLs: [second, ...rest] }
  const equals = rest.indexOf('=')
  return {
    verbs: verbs.split(','),
    apiGroups: second
      .slice(0, -1)
      .split(',')
      .map((g) => (g === 'core' ? '' : g)),
    resources: equals < 0 ? rest : rest.slice(0, equals),
    ...(equals < 0 ? {} : { resourceNames: rest.slice(equals + 1) }),
  }
}

/** Bindings: `name -> role: group g, user u, account ns/name`, with the namespace before the name for a RoleBinding. */
export function readBindings(kind: 'RoleBinding' | 'ClusterRoleBinding', text: string): (RoleBinding | ClusterRoleBinding)[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [head = '', tail = ''] = line.split(' -> ')
      const colon = tail.indexOf(': ')
      const role = colon < 0 ? tail : tail.slice(0, colon)
      const subjects =
        colon < 0
          ? []
          : tail
              .slice(colon + 2)
              .split(', ')
              .map(readSubject)
      const [first = '', second] = head.split(' ')
      return {
        apiVersion: API_VERSION,
        kind,
        metadata: {
          name: second ?? first,
          ...(second === undefined ? {} : { namespace: first }),
          labels: { ...LABELS },
          annotations: { ...ANNOTATIONS },
        },
        roleRef: { apiGroup: RBAC_GROUP, kind: kind === 'RoleBinding' ? 'Role' : 'ClusterRole', name: role },
        ...(subjects.length === 0 ? {} : { subjects }),
      }
    })
}

function readSubject(text: string): Subject {
  const [kind = '', name = ''] = text.split(' ')
  if (kind !== 'account') return { kind: kind === 'group' ? 'Group' : 'User', apiGroup: RBAC_GROUP, name }
  const [namespace = '', account = ''] = name.split('/')
  return { kind: 'ServiceAccount', name: account, namespace }
}
