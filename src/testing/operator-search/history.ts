import type { ApiCall, ResourceRef, Target } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** A request of the operator. */
export interface OperatorCall {
  readonly seq: number
  /** Which run of the operator sent it; the first is 1. */
  readonly life: number
  /** The step of the workload during which it was sent; -1: before the first. */
  readonly step: number
  readonly atMs: number
  readonly verb: ApiCall['verb']
  readonly target: Target
  /** True for a write that is the operator's work: not its lease, events or reviews, and no dry run. */
  readonly writes: boolean
  /** The HTTP status of the response; undefined while there is none. */
  code?: number
  /** The resource version of the object in the response. */
  revision?: string
  /** Why it was refused. */
  message?: string
  /** Of a write: the newest revision that this run had seen of each resource (`GROUP/RESOURCE`). */
  seen?: ReadonlyMap<string, string>
}

/** A change of an object by any client. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly revision: number
  readonly step: number
  readonly atMs: number
  /** `Kind namespace/name` */
  readonly key: string
  readonly ref: ResourceRef
  readonly object: Readonly<KubeObject>
  /** The object before it; undefined: there was none. */
  readonly before: Readonly<KubeObject> | undefined
}

/** All objects of the compared kinds when nothing happens any more. */
export interface RestState {
  readonly step: number
  readonly objects: readonly Readonly<KubeObject>[]
  /** Why it is not really at rest; undefined: it is. */
  readonly restless: string | undefined
  /** The write that is tried again and again, and refused each time; undefined: there is none. */
  readonly failing: string | undefined
}

/** What happened in one cluster. Times are milliseconds of the cluster's clock since its start. */
export interface SearchHistory {
  readonly calls: readonly OperatorCall[]
  readonly changes: readonly ObjectChange[]
  readonly rests: readonly RestState[]
  /** What the trial did. */
  readonly marks: readonly { readonly atMs: number; readonly what: string }[]
  /** Steps that the API server refused, with its message. */
  readonly refusals: ReadonlyMap<number, string>
  /** How runs of the operator ended by themselves, and crashes that it survived. */
  readonly deaths: readonly string[]
}

/** What these changes leave behind. */
export function objectsAfter(changes: readonly ObjectChange[]): readonly Readonly<KubeObject>[] {
  const objects = new Map<string, Readonly<KubeObject>>()
  for (const { type, key, object } of changes) {
    if (type === 'DELETED') objects.delete(key)
    else objects.set(key, object)
  }
  return [...objects.values()]
}

/** One history after the other, as if they were of one cluster. */
export function joinHistories(first: SearchHistory, second: SearchHistory): SearchHistory {
  const times = ({ changes, marks }: SearchHistory) => [...changes, ...marks].map((event) => event.atMs)
  const [startMs, endMs, nextMs] = [Math.min(...times(first)), Math.max(...times(first)), Math.min(...times(second))]
  const lives = Math.max(0, ...first.calls.map((c) => c.life))
  const later = <T extends { readonly atMs: number }>(event: T): T => ({ ...event, atMs: event.atMs - nextMs + endMs })
  return {
    calls: [...first.calls, ...second.calls.map((c) => ({ ...c, life: c.life + lives, atMs: c.atMs + endMs - startMs }))],
    changes: [...first.changes, ...second.changes.map(later)],
    rests: [...first.rests, ...second.rests],
    marks: [...first.marks, ...second.marks.map(later)],
    refusals: new Map([...first.refusals, ...second.refusals]),
    deaths: [...first.deaths, ...second.deaths],
  }
}

/** What of a history happened before so many of its changes had been seen, without how it ended. */
export function historyUntil({ calls, changes, marks, rests }: SearchHistory, count: number, call: OperatorCall): SearchHistory {
  const untilMs = changes[count - 1]?.atMs ?? Math.min(...marks.map((m) => m.atMs))
  return {
    calls: calls.filter((c) => c.seq < call.seq),
    changes: changes.slice(0, count),
    rests: rests.filter((r) => r.step < call.step),
    marks: marks.filter((m) => m.atMs <= untilMs),
    refusals: new Map(),
    deaths: [],
  }
}

/** An operator that fails without any fault shows nothing with one, and one that never rests has points without end. */
export const isBroken = ({ deaths, rests }: SearchHistory): boolean =>
  deaths.length > 0 || rests.some((rest) => rest.restless !== undefined)
