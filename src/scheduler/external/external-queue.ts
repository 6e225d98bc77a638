import type { SortKey } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { type ClusterEvent, type EventKey, eventKey } from '../framework/cluster-event.ts'
import type { Hints, Plugin, Queued } from '../framework/plugin.ts'
import type { PluginThread } from './plugin-thread.ts'

/** Of a thread, what is needed here. */
export type QueueThread = Pick<PluginThread, 'known' | 'hints' | 'parts' | 'ask'>

/** The maximum of cached sort keys of waiting pods; the least recently used is dropped, and requested again. */
const MAX_KEYS = 100_000

/** The calls of a plugin in a thread while pods wait: PreEnqueue, QueueSort, queueing hints. */
export function externalQueue(thread: QueueThread): Pick<Plugin, 'preEnqueue' | 'prepareSort' | 'queueSort' | 'sortsWhenNamed' | 'hints'> {
  const keys = new Map<string, SortKey>()
  const keep = (uid: string, key: SortKey) => {
    keys.delete(uid)
    keys.set(uid, key)
    if (keys.size > MAX_KEYS) for (const oldest of keys.keys()) if (keys.delete(oldest)) break
  }
  const hintOf = batchedHints(thread)
  return {
    sortsWhenNamed: true,
    preEnqueue(pod) {
      if (thread.known?.has('preEnqueue') === false) return undefined
      return thread.parts().then(async (parts) => {
        if (!parts.has('preEnqueue')) return undefined
        const said = await thread.ask(pod.pod, { point: 'preEnqueue' })
        return typeof said === 'string' ? said : undefined
      })
    },
    prepareSort: (pod) =>
      thread.ask(pod.pod, { point: 'sortKey' }).then(
        (key) => keep(pod.uid, key as SortKey),
        // A pod without a key is sorted by priority and age; it must still enter the queue.
        () => {},
      ),
    queueSort: (a, b) => isBefore(a, b, keys),
    /** Undefined until the plugin is loaded: any event may help then. */
    get hints(): Hints | undefined {
      if (thread.hints === undefined) return undefined
      const wanted = Object.entries(thread.hints).map(([event, hint]) => [event, hint === true ? () => true : hintOf] as const)
      return Object.fromEntries(wanted) as Hints
    },
  }
}

/** By key, then by priority, then by age. */
function isBefore(a: Queued, b: Queued, keys: ReadonlyMap<string, SortKey>): boolean {
  const order =
    compare(keys.get(a.info.uid), keys.get(b.info.uid)) || b.info.priority - a.info.priority || a.since - b.since || a.serial - b.serial
  return order < 0
}

/** A total order, whatever authors give: none before numbers, numbers before texts, shorter lists before longer ones that begin alike. */
export function compare(a: SortKey | undefined, b: SortKey | undefined): number {
  const [left, right] = [itemsOf(a), itemsOf(b)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i] ?? 0, right[i] ?? 0]
    const order = rank(x) - rank(y) || (x < y ? -1 : x > y ? 1 : 0)
    if (order !== 0) return order
  }
  return left.length - right.length
}

const itemsOf = (key: SortKey | undefined): readonly (number | string)[] => {
  const items = key === undefined || key === null ? [] : typeof key === 'object' ? key : [key]
  return items.map((item) => (typeof item === 'number' && !Number.isNaN(item) ? item : String(item)))
}

const rank = (item: number | string) => (typeof item === 'number' ? 0 : 1)

interface Batch {
  readonly event: ClusterEvent
  readonly pods: PodInfo[]
  readonly said: Promise<readonly boolean[]>
}

/** One call for all pods that an event concerns: they are collected in the same turn. */
function batchedHints(thread: QueueThread): (pod: PodInfo, event: ClusterEvent) => Promise<boolean> {
  let open: Batch | undefined
  const ask = async ({ kind: _, resource: __, ...event }: ClusterEvent, name: EventKey, pods: readonly PodInfo[]) => {
    // Pods of the same turn are still added.
    await Promise.resolve()
    open = undefined
    const [first] = pods
    if (first === undefined) return []
    const said = await thread.ask(first.pod, { point: 'hints', event: { name, ...event }, pods: pods.map((p) => p.pod) })
    return Array.isArray(said) ? said.map((one) => one === true) : []
  }
  return (pod, event) => {
    if (open?.event !== event) {
      const pods: PodInfo[] = []
      open = { event, pods, said: ask(event, eventKey(event), pods) }
    }
    const { pods, said } = open
    const at = pods.push(pod) - 1
    return said.then((all) => all[at] ?? true)
  }
}
