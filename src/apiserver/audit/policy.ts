import { withoutTrailing } from '../../base/without-trailing.ts'
import type { Request } from '../request/request.ts'
import type { PathTarget } from '../request/request-info.ts'

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse'
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic'

export interface GroupResources {
  readonly group?: string
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

export interface AuditRule {
  readonly level: AuditLevel
  readonly users?: readonly string[]
  readonly userGroups?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resources?: readonly GroupResources[]
  /** `''` matches resources without a namespace. */
  readonly namespaces?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** `audit.k8s.io/v1 Policy`: the first rule that matches a request decides how much of it is recorded. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** The parts of a request that rules match. */
export type Audited = Pick<Request, 'sender' | 'info'>

export interface AuditDecision {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<AuditStage>
  readonly omitManagedFields: boolean
}

const NOTHING: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: false }

/** Compiles a policy: the decision of each rule is computed once. */
export function auditDecider(policy: AuditPolicy): (request: Audited) => AuditDecision {
  const decisions = policy.rules.map(
    (rule): AuditDecision => ({
      level: rule.level,
      omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
    }),
  )
  return (request) => decisions[policy.rules.findIndex((rule) => ruleFits(rule, request))] ?? NOTHING
}

const some = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0

function ruleFits(rule: AuditRule, request: Audited): boolean {
  const { sender: user, info } = request
  if (some(rule.users) && (user === undefined || !rule.users.includes(user.name))) return false
  if (some(rule.userGroups) && !rule.userGroups.some((g) => user?.groups.includes(g))) return false
  if (some(rule.verbs) && !rule.verbs.includes(info.verb)) return false
  if (some(rule.namespaces) || some(rule.resources)) return resourceFits(rule, info.target)
  if (some(rule.nonResourceURLs)) return info.target === undefined && rule.nonResourceURLs.some((url) => pathFits(url, info.path))
  return true
}

const pathFits = (url: string, path: string) =>
  url === '*' || url === path || (url.endsWith('*') && path.startsWith(withoutTrailing(url, '*')))

function resourceFits(rule: AuditRule, target: PathTarget | undefined): boolean {
  if (target === undefined) return false
  if (some(rule.namespaces) && !rule.namespaces.includes(target.namespace)) return false
  if (!some(rule.resources)) return true
  return rule.resources.some(
    (r) =>
      (r.group ?? '') === target.group &&
      (!some(r.resources) ||
        ((!some(r.resourceNames) || r.resourceNames.includes(target.name)) && r.resources.some((name) => nameFits(name, target)))),
  )
}

/** `pods`, `pods/log`, `*`, `*\/log`, and `pods/*`, which includes pods. */
function nameFits(name: string, { resource, subresource }: { readonly resource: string; readonly subresource: string }): boolean {
  if (name === '*' || name === (subresource === '' ? resource : `${resource}/${subresource}`)) return true
  return (subresource !== '' && name === `*/${subresource}`) || name === `${resource}/*`
}
