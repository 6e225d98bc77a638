import { atOnce, Pace, type Steps } from '../../../base/steps.ts'
import { MAX_FAULTS } from '../../../machinery/field-error.ts'
import type { PolicyRule } from '../../../resources/types/rbac.ts'
import { NONE, urlCovers } from './policy-rule.ts'

/** Most comparisons of a permission with a held rule: four lists of a hundred names each are a hundred million permissions in a few KiB. */
const MOST_COMPARISONS = 10_000_000

/** What of some rules others do not cover. */
export type Uncovered =
  /** The permissions, of one group, resource, verb and name each, or of one URL and verb; the first thousand. */
  | { readonly kind: 'compared'; readonly missing: readonly PolicyRule[] }
  /** There are too many permissions to compare them. */
  | { readonly kind: 'too many'; readonly permissions: number }

/** A held rule whose lists are searched in constant time. */
interface Held {
  readonly verb: (verb: string) => boolean
  readonly group: (group: string) => boolean
  readonly resource: (resource: string) => boolean
  /** Undefined: all names. */
  readonly name: ((name: string) => boolean) | undefined
  readonly urls: readonly string[]
}

/** The permissions of `wanted` that no rule of `held` covers. */
export function* uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): Steps<Uncovered> {
  const pace = new Pace()
  const rules: Held[] = []
  for (const rule of held) {
    rules.push(searchable(rule))
    if (pace.due(sizeOf(rule))) yield
  }
  const partly: PolicyRule[] = []
  for (const rule of wanted) {
    if (!rules.some((h) => covers(h, rule))) partly.push(rule)
    if (pace.due(rules.length + sizeOf(rule))) yield
  }
  const permissions = partly.reduce((sum, rule) => sum + permissionsOf(rule), 0)
  if (permissions * (rules.length + 1) > MOST_COMPARISONS) return { kind: 'too many', permissions }
  const missing: PolicyRule[] = []
  for (const rule of partly) {
    for (const one of breakDown(rule)) {
      if (!rules.some((h) => covers(h, one))) missing.push(one)
      if (missing.length >= MAX_FAULTS) return { kind: 'compared', missing }
      if (pace.due(rules.length + 1)) yield
    }
  }
  return { kind: 'compared', missing }
}

/** Whether a few rules cover one of few permissions. */
export function isCovered(held: readonly PolicyRule[], wanted: PolicyRule): boolean {
  const result = atOnce(uncovered(held, [wanted]))
  return result.kind === 'compared' && result.missing.length === 0
}

function searchable(rule: PolicyRule): Held {
  const resources = new Set(rule.resources)
  return {
    verb: hasOrAll(rule.verbs),
    group: hasOrAll(rule.apiGroups),
    resource: (resource) => resources.has('*') || resources.has(resource) || resources.has(ofAnyResource(resource)),
    name: rule.resourceNames?.length ? has(rule.resourceNames) : undefined,
    urls: rule.nonResourceURLs ?? NONE,
  }
}

function has(list: readonly string[]): (wanted: string) => boolean {
  const values = new Set(list)
  return (wanted) => values.has(wanted)
}

function hasOrAll(list: readonly string[] = NONE): (wanted: string) => boolean {
  const named = has(list)
  return named('*') ? () => true : named
}

/** `pods/log` → `*\/log`; a text that no rule contains for a whole resource. */
const ofAnyResource = (resource: string) => (resource.includes('/') ? `*${resource.slice(resource.indexOf('/'))}` : '')

/** Whether one held rule covers all permissions of the other. */
function covers(held: Held, { verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): boolean {
  if (!verbs.every(held.verb)) return false
  if (!(nonResourceURLs ?? NONE).every((url) => held.urls.some((h) => urlCovers(h, url)))) return false
  if (resources === undefined || resources.length === 0) return true
  if (!(apiGroups ?? NONE).every(held.group) || !resources.every(held.resource)) return false
  return held.name === undefined || (resourceNames !== undefined && resourceNames.length > 0 && resourceNames.every(held.name))
}

const lengthOf = (list: readonly string[] | undefined) => list?.length ?? 0

const sizeOf = (rule: PolicyRule) =>
  rule.verbs.length + lengthOf(rule.apiGroups) + lengthOf(rule.resources) + lengthOf(rule.resourceNames) + lengthOf(rule.nonResourceURLs)

/** How many rules `breakDown` makes. */
const permissionsOf = (rule: PolicyRule): number =>
  rule.verbs.length *
  (lengthOf(rule.apiGroups) * lengthOf(rule.resources) * Math.max(1, lengthOf(rule.resourceNames)) + lengthOf(rule.nonResourceURLs))

/** Splits a rule into rules of one group, resource, verb and name each, or of one URL and verb. */
function* breakDown(rule: PolicyRule): Generator<PolicyRule, void> {
  for (const group of rule.apiGroups ?? NONE) {
    for (const resource of rule.resources ?? NONE) {
      for (const verb of rule.verbs) {
        const one = { apiGroups: [group], resources: [resource], verbs: [verb] }
        const names = rule.resourceNames ?? NONE
        if (names.length === 0) yield one
        for (const name of names) yield { ...one, resourceNames: [name] }
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? NONE) for (const verb of rule.verbs) yield { nonResourceURLs: [url], verbs: [verb] }
}
