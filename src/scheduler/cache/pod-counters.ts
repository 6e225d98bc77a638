import type { LabelSet } from '../../machinery/selectors/label-matcher.ts'
import type { AffinityTerm } from './affinity-term.ts'
import type { PodInfo } from './pod-info.ts'

/** Returns a namespace's labels. */
export type NamespaceLabels = (namespace: string) => LabelSet

/** Whether a term's namespaces and selector take a pod. */
export function termTakes(term: AffinityTerm, pod: PodInfo, namespaceLabels: NamespaceLabels): boolean {
  const inNamespace = term.namespaces.has(pod.namespace) || (term.namespaceMatcher?.(namespaceLabels(pod.namespace)) ?? false)
  return inNamespace && term.labels(pod.labels)
}

/** A column: how many pods of each row a question takes. Kept up to date as pods come and go. */
export interface PodCounter {
  readonly takes: (pod: PodInfo) => boolean
  counts: Int32Array
  /** The sum of the column. */
  total: number
}

/** The maximum of counters; the least recently used is dropped. */
const MAX_COUNTERS = 256

/** The counters by the key of their question. */
export class PodCounters {
  readonly #counters = new Map<string, PodCounter>()
  #rows: number

  constructor(rows: number) {
    this.#rows = rows
  }

  grow(rows: number): void {
    this.#rows = rows
    for (const counter of this.#counters.values()) counter.counts = grown(counter.counts, rows)
  }

  /** The counter for a question, filled from `pods` (row by row) when it is new. */
  get(key: string, takes: (pod: PodInfo) => boolean, pods: readonly ReadonlySet<PodInfo>[]): PodCounter {
    const known = this.#counters.get(key)
    if (known !== undefined) {
      this.#counters.delete(key)
      this.#counters.set(key, known)
      return known
    }
    const counter: PodCounter = { takes, counts: new Int32Array(this.#rows), total: 0 }
    for (let row = 0; row < pods.length; row++) for (const pod of pods[row] ?? []) if (takes(pod)) bump(counter, row, 1)
    this.#counters.set(key, counter)
    if (this.#counters.size > MAX_COUNTERS) for (const oldest of this.#counters.keys()) if (this.#counters.delete(oldest)) break
    return counter
  }

  count(row: number, pod: PodInfo, by: 1 | -1): void {
    for (const counter of this.#counters.values()) if (counter.takes(pod)) bump(counter, row, by)
  }

  /** Drops all columns; they are counted again on demand. */
  clear(): void {
    this.#counters.clear()
  }
}

export type TermKind = 'requiredAffinity' | 'requiredAntiAffinity' | 'preferredAffinity' | 'preferredAntiAffinity'
export const TERM_KINDS: readonly TermKind[] = ['requiredAffinity', 'requiredAntiAffinity', 'preferredAffinity', 'preferredAntiAffinity']

/** A term that pods on nodes carry, and how many carry it on each row. */
export interface CarriedTerm {
  readonly term: AffinityTerm
  counts: Int32Array
  total: number
}

/** The affinity terms of the pods that are placed: one column a distinct term. */
export class CarriedTerms {
  readonly #kinds: Readonly<Record<TermKind, Map<string, CarriedTerm>>> = {
    requiredAffinity: new Map(),
    requiredAntiAffinity: new Map(),
    preferredAffinity: new Map(),
    preferredAntiAffinity: new Map(),
  }
  #rows: number

  constructor(rows: number) {
    this.#rows = rows
  }

  grow(rows: number): void {
    this.#rows = rows
    for (const kind of TERM_KINDS) for (const carried of this.#kinds[kind].values()) carried.counts = grown(carried.counts, rows)
  }

  of(kind: TermKind): ReadonlyMap<string, CarriedTerm> {
    return this.#kinds[kind]
  }

  count(row: number, pod: PodInfo, by: 1 | -1): void {
    if (pod.terms === undefined) return
    for (const kind of TERM_KINDS) {
      const terms = this.#kinds[kind]
      for (const term of pod.terms[kind]) {
        let carried = terms.get(term.key)
        if (carried === undefined) {
          carried = { term, counts: new Int32Array(this.#rows), total: 0 }
          terms.set(term.key, carried)
        }
        bump(carried, row, by)
        if (carried.total === 0) terms.delete(term.key)
      }
    }
  }
}

function bump(column: { readonly counts: Int32Array; total: number }, row: number, by: number): void {
  column.counts[row] = (column.counts[row] ?? 0) + by
  column.total += by
}

function grown(column: Int32Array, rows: number): Int32Array {
  const larger = new Int32Array(rows)
  larger.set(column)
  return larger
}
