import { compileMatcher, type LabelMatcher } from '../../machinery/selectors/label-matcher.ts'
import type { LabelSelector } from '../../machinery/validation/label-selector.ts'
import type { Pod, PodAffinityTerm } from '../../resources/types/core.ts'

/** A pod affinity term as a function, known by a key: equal terms of many pods are one. */
export interface AffinityTerm {
  readonly key: string
  readonly topologyKey: string
  /** Namespaces by name; beside them those whose labels `namespaceMatcher` takes. */
  readonly namespaces: ReadonlySet<string>
  readonly namespaceMatcher: LabelMatcher | undefined
  readonly labels: LabelMatcher
  readonly weight: number
}

export interface AffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[]
  readonly requiredAntiAffinity: readonly AffinityTerm[]
  readonly preferredAffinity: readonly AffinityTerm[]
  readonly preferredAntiAffinity: readonly AffinityTerm[]
}

/** The pod's own terms; undefined when it has none. */
export function affinityTermsOf(pod: Readonly<Pod>): AffinityTerms | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  if (podAffinity === undefined && podAntiAffinity === undefined) return undefined
  const compile = (term: PodAffinityTerm, weight = 0) => affinityTerm(pod, term, weight)
  const preferred = (from: typeof podAffinity) =>
    (from?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      .filter((t) => t.weight !== 0)
      .map((t) => compile(t.podAffinityTerm, t.weight))
  const required = (from: typeof podAffinity) => (from?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((t) => compile(t))
  return {
    requiredAffinity: required(podAffinity),
    requiredAntiAffinity: required(podAntiAffinity),
    preferredAffinity: preferred(podAffinity),
    preferredAntiAffinity: preferred(podAntiAffinity),
  }
}

function affinityTerm(pod: Readonly<Pod>, term: PodAffinityTerm, weight: number): AffinityTerm {
  const own = pod.metadata.namespace ?? ''
  const selector = withLabelKeys(pod, term.labelSelector, term.matchLabelKeys, term.mismatchLabelKeys)
  const alone = (term.namespaces?.length ?? 0) === 0 && term.namespaceSelector === undefined
  const namespaces = alone ? [own] : [...(term.namespaces ?? [])].sort()
  return {
    key: JSON.stringify([namespaces, term.namespaceSelector, selector, term.topologyKey, weight]),
    topologyKey: term.topologyKey,
    namespaces: new Set(namespaces),
    namespaceMatcher: term.namespaceSelector === undefined ? undefined : compileMatcher(term.namespaceSelector),
    labels: compileMatcher(selector),
    weight,
  }
}

/**
 * Adds `key in (value of the pod)` (or `notin`) for the named labels that the pod has. The API server has done so already; a second time
 * changes nothing.
 */
export function withLabelKeys(
  pod: Readonly<Pod>,
  selector: LabelSelector | undefined,
  match: readonly string[] = [],
  mismatch: readonly string[] = [],
): LabelSelector | undefined {
  if (selector === undefined || (match.length === 0 && mismatch.length === 0)) return selector
  const labels = pod.metadata.labels ?? {}
  const extra = (keys: readonly string[], operator: string) =>
    keys.filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key] ?? ''] }))
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...extra(match, 'In'), ...extra(mismatch, 'NotIn')] }
}
