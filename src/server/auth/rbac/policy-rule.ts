import type { Attributes } from '../../../apiserver/identity/authorizer.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { PolicyRule } from '../../../resources/types/rbac.ts'

export const NONE: readonly string[] = []
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
export const urlCovers = (url: string, path: string) =>
  url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)))

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
