import type { Attributes } from '../../../apiserver/identity/authorizer.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { PolicyRule } from '../../../resources/types/rbac.ts'

const NONE: readonly string[] = []
const hasOrAll = (list: readonly string[] | undefined, wanted: string) =>
  list !== undefined && (list.includes(wanted) || list.includes('*'))

/** Whether this rule allows the request. */
export function ruleAllows(rule: PolicyRule, a: Attributes): boolean {
  if (!hasOrAll(rule.verbs, a.verb)) return false
  if (!a.resourceRequest) return (rule.nonResourceURLs ?? NONE).some((url) => urlCovers(url, a.path))
  if (!hasOrAll(rule.apiGroups, a.group)) return false
  if (!resourceMatches(rule.resources ?? NONE, a.resource, a.subresource)) return false
  return rule.resourceNames === undefined || rule.resourceNames.length === 0 || rule.resourceNames.includes(a.name)
}

function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  for (const r of resources) {
    if (r === '*') return true
    if (subresource === '' ? r === resource : r === `*/${subresource}` || r === `${resource}/${subresource}`) return true
  }
  return false
}

/** `/healthz`, `/api/*`, `*`. */
const urlCovers = (url: string, path: string) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))

/** Splits a rule into rules of one group, resource, verb and name each, or of one URL and verb. */
function breakDown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = []
  for (const group of rule.apiGroups ?? NONE) {
    for (const resource of rule.resources ?? NONE) {
      for (const verb of rule.verbs) {
        const one = { apiGroups: [group], resources: [resource], verbs: [verb] }
        const names = rule.resourceNames ?? NONE
        if (names.length === 0) parts.push(one)
        for (const name of names) parts.push({ ...one, resourceNames: [name] })
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? NONE) for (const verb of rule.verbs) parts.push({ nonResourceURLs: [url], verbs: [verb] })
  return parts
}

/** The permissions of `wanted` that no rule of `held` covers. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((one) => !held.some((h) => covers(h, one)))
}

function covers(held: PolicyRule, one: PolicyRule): boolean {
  if (!one.verbs.every((v) => hasOrAll(held.verbs, v))) return false
  if (one.nonResourceURLs !== undefined)
    return one.nonResourceURLs.every((url) => (held.nonResourceURLs ?? NONE).some((h) => urlCovers(h, url)))
  const resources = held.resources ?? NONE
  const resource = one.resources?.[0] ?? ''
  const slash = resource.indexOf('/')
  const coversResource = hasOrAll(resources, resource) || (slash >= 0 && resources.includes(`*${resource.slice(slash)}`))
  if (!coversResource || !hasOrAll(held.apiGroups, one.apiGroups?.[0] ?? '')) return false
  const names = held.resourceNames ?? NONE
  return names.length === 0 || one.resourceNames?.every((n) => names.includes(n)) === true
}

/** Joins permissions on the same resource (and name) into one rule with several verbs. */
export function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule & { verbs: string[] }>()
  const rest: PolicyRule[] = []
  for (const rule of rules) {
    if (rule.nonResourceURLs !== undefined) {
      rest.push(rule)
      continue
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
    const same = joined.get(key)
    if (same === undefined) joined.set(key, { ...rule, verbs: [...rule.verbs] })
    else same.verbs.push(...rule.verbs)
  }
  return [...rest, ...joined.values()].sort((a, b) => (sortText(a) < sortText(b) ? -1 : 1))
}

/** Kubernetes sorts rules by this text. */
const sortText = (r: PolicyRule) =>
  [r.verbs, r.apiGroups, r.resources, r.resourceNames, r.nonResourceURLs].map((l) => `[${(l ?? NONE).join(' ')}]`).join(',')

/** `{APIGroups:["apps"], Resources:["deployments"], Verbs:["list" "watch"]}` */
export function ruleText(rule: PolicyRule): string {
  const parts: string[] = []
  const add = (label: string, list: readonly string[] | undefined) => {
    if (list !== undefined && list.length > 0) parts.push(`${label}:[${list.map(goQuote).join(' ')}]`)
  }
  add('APIGroups', rule.apiGroups)
  add('Resources', rule.resources)
  add('ResourceNames', rule.resourceNames)
  add('NonResourceURLs', rule.nonResourceURLs)
  add('Verbs', rule.verbs)
  return `{${parts.join(', ')}}`
}
