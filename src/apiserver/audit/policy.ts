import { isObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'

type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse'
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic'

interface GroupResources {
  readonly group?: string
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

interface AuditRule {
  readonly level: AuditLevel
  readonly users?: readonly string[]
  readonly userGroups?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resources?: readonly GroupResources[]
  readonly namespaces?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** `audit.k8s.io/v1 Policy`: the first rule that fits a request says how much of it is written down. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** A request as rules see it. */
export interface Audited {
  readonly user: UserInfo
  readonly verb: string
  readonly path: string
  readonly resource?: {
    readonly group: string
    readonly resource: string
    readonly subresource: string
    readonly namespace: string
    readonly name: string
  }
}

export interface AuditDecision {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<AuditStage>
  readonly omitManagedFields: boolean
}

/** Why a policy file cannot be used. */
export class AuditPolicyError extends Error {
  override readonly name = 'AuditPolicyError'
  readonly code = 'bad-policy'
}

const LEVELS: readonly string[] = ['None', 'Metadata', 'Request', 'RequestResponse']

/** Checks what was read from a policy file (YAML or JSON, decoded by the caller). */
export function readAuditPolicy(value: unknown): AuditPolicy {
  if (!isObject(value) || value.kind !== 'Policy')
    throw new AuditPolicyError('audit policy: the file must hold one object of kind Policy (audit.k8s.io/v1)')
  if (value.apiVersion !== undefined && value.apiVersion !== 'audit.k8s.io/v1')
    throw new AuditPolicyError(`audit policy: apiVersion must be audit.k8s.io/v1, not ${JSON.stringify(value.apiVersion)}`)
  checkMembers(value, 'audit policy', ['apiVersion', 'kind', 'metadata', 'rules', 'omitStages', 'omitManagedFields'])
  checkStages(value.omitStages, 'omitStages')
  if (!Array.isArray(value.rules) || value.rules.length === 0)
    throw new AuditPolicyError('audit policy: rules must name at least one rule; a last rule "level: Metadata" catches the rest')
  for (const [i, rule] of value.rules.entries()) checkRule(rule, `rules[${i}]`)
  return value as unknown as AuditPolicy
}

const TEXTS = ['users', 'userGroups', 'verbs', 'namespaces', 'nonResourceURLs']

function checkRule(rule: unknown, at: string): void {
  if (!isObject(rule)) throw new AuditPolicyError(`audit policy: ${at} must be a rule`)
  checkMembers(rule, at, ['level', 'resources', 'omitStages', 'omitManagedFields', ...TEXTS])
  if (typeof rule.level !== 'string' || !LEVELS.includes(rule.level))
    throw new AuditPolicyError(`audit policy: ${at}.level must be one of ${LEVELS.join(', ')}`)
  checkStages(rule.omitStages, `${at}.omitStages`)
  for (const name of TEXTS) checkTexts(rule[name], `${at}.${name}`)
  if (rule.resources === undefined || rule.resources === null) return
  if (!Array.isArray(rule.resources)) throw new AuditPolicyError(`audit policy: ${at}.resources must be a list`)
  for (const [i, resources] of rule.resources.entries()) {
    const here = `${at}.resources[${i}]`
    if (!isObject(resources)) throw new AuditPolicyError(`audit policy: ${here} must name a group and its resources`)
    checkMembers(resources, here, ['group', 'resources', 'resourceNames'])
    checkTexts(resources.resources, `${here}.resources`)
    checkTexts(resources.resourceNames, `${here}.resourceNames`)
  }
  if (rule.resources.length > 0 && Array.isArray(rule.nonResourceURLs) && rule.nonResourceURLs.length > 0)
    throw new AuditPolicyError(`audit policy: ${at} cannot be about both resources and nonResourceURLs`)
}

function checkMembers(value: Record<string, unknown>, at: string, known: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new AuditPolicyError(`audit policy: ${at} has no field ${JSON.stringify(unknown)}`)
}

function checkTexts(value: unknown, at: string): asserts value is readonly string[] | null | undefined {
  if (value === undefined || value === null) return
  if (!Array.isArray(value) || value.some((v) => typeof v !== 'string'))
    throw new AuditPolicyError(`audit policy: ${at} must be a list of texts`)
}

const STAGES: readonly string[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']

function checkStages(value: unknown, at: string): void {
  checkTexts(value, at)
  if (value?.some((stage) => !STAGES.includes(stage))) throw new AuditPolicyError(`audit policy: ${at} may name ${STAGES.join(', ')}`)
}

const NOTHING: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: false }

/** How much of this request is written down. */
export function decideAudit(policy: AuditPolicy, request: Audited): AuditDecision {
  const rule = policy.rules.find((r) => ruleFits(r, request))
  if (rule === undefined || rule.level === 'None') return NOTHING
  return {
    level: rule.level,
    omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  }
}

const fits = (list: readonly string[] | undefined, value: string) =>
  list === undefined || list === null || list.length === 0 || list.includes(value)
const some = <T>(list: readonly T[] | undefined) => list !== undefined && list !== null && list.length > 0

function ruleFits(rule: AuditRule, { user, verb, path, resource }: Audited): boolean {
  if (!fits(rule.users, user.name) || !fits(rule.verbs, verb)) return false
  if (some(rule.userGroups) && !rule.userGroups?.some((g) => user.groups.includes(g))) return false
  if (resource === undefined) {
    if (some(rule.resources) || some(rule.namespaces)) return false
    return (
      !some(rule.nonResourceURLs) ||
      rule.nonResourceURLs?.some((url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))) === true
    )
  }
  if (some(rule.nonResourceURLs) || !fits(rule.namespaces, resource.namespace)) return false
  if (!some(rule.resources)) return true
  return (
    rule.resources?.some(
      (r) =>
        (r.group ?? '') === resource.group &&
        fits(r.resourceNames, resource.name) &&
        (!some(r.resources) || r.resources?.some((name) => resourceFits(name, resource)) === true),
    ) === true
  )
}

function resourceFits(name: string, { resource, subresource }: { readonly resource: string; readonly subresource: string }): boolean {
  if (name === '*') return true
  if (subresource === '') return name === resource
  return name === `${resource}/${subresource}` || name === `*/${subresource}` || name === `${resource}/*`
}
