import { type Keeper, kept } from '../../machinery/kept.ts'
import type { Quantity } from '../../machinery/quantity.ts'
import type { Pod } from '../types/pod.ts'
import { AmountSums, AmountsReader, type PodAmounts } from './pod-amounts.ts'

/** The state of a pod that is bound to this node. A pod without an entry holds no resources. */
export type PodEntry =
  /** It waits for admission. */
  | { readonly kind: 'arriving'; readonly pod: Pod }
  /** It counts on the node: it was admitted, has not ended, and its object exists. The cache keeps its object. */
  | { readonly kind: 'admitted'; readonly keeper: Keeper<Pod>; readonly amounts: PodAmounts }
  /** It does not count but may still hold devices and CPUs: it had ended, or was refused, while containers of a previous agent ran. */
  | { readonly kind: 'leftover'; readonly pod: Pod; readonly refused: boolean }
  /** Admission refused it; its object as it was last seen. */
  | { readonly kind: 'refused'; readonly pod: Pod }

export type PodEvent =
  /** The pod waits for admission, or changed while it waits. */
  | { readonly kind: 'arrived'; readonly pod: Pod }
  | { readonly kind: 'admitted'; readonly pod: Pod }
  /** `running`: a previous agent left it running. */
  | { readonly kind: 'refused'; readonly pod: Pod; readonly running: boolean }
  /** The pod's object has a new version. */
  | { readonly kind: 'changed'; readonly pod: Pod }
  /** It ended before this agent admitted it; `leftover`: something still has to be cleaned up or reported. */
  | { readonly kind: 'found-ended'; readonly pod: Pod; readonly leftover: boolean }
  | { readonly kind: 'object-gone' }
  /** None of its containers runs any more: its resources are released. */
  | { readonly kind: 'ended' }

/** The transition that an event caused. */
export interface PodChange {
  readonly before: PodEntry | undefined
  readonly after: PodEntry | undefined
}

/** The pods of one node by UID. Each is in one state at a time. */
export class PodTable {
  readonly #entries = new Map<string, PodEntry>()
  /** In order of arrival. */
  readonly #arriving = new Set<string>()
  #admitted = 0
  readonly #reader = new AmountsReader()
  readonly #sums = new AmountSums(() => this.#allTotals())

  /** The only way in which an entry is added, changed or removed. */
  apply(uid: string, event: PodEvent): PodChange {
    const before = this.#entries.get(uid)
    const after = transition(before, event, this.#reader)
    // Within one state, pods are listed in the order in which they entered it.
    if (after?.kind !== before?.kind) this.#entries.delete(uid)
    if (after !== undefined) this.#entries.set(uid, after)
    if (after?.kind === 'arriving') this.#arriving.add(uid)
    else this.#arriving.delete(uid)
    this.#admitted += Number(after?.kind === 'admitted') - Number(before?.kind === 'admitted')
    this.#sums.changed(totalsOf(before), totalsOf(after))
    return { before, after }
  }

  /** The pod, if it waits for admission. */
  arriving(uid: string): Pod | undefined {
    const entry = this.#entries.get(uid)
    return entry?.kind === 'arriving' ? entry.pod : undefined
  }

  /** All pods that wait for admission, first come, first served. */
  *arrivals(): Iterable<Pod> {
    for (const uid of this.#arriving) {
      const pod = this.arriving(uid)
      if (pod !== undefined) yield pod
    }
  }

  /** The pod, if it counts on the node. */
  admitted(uid: string): Pod | undefined {
    const entry = this.#entries.get(uid)
    return entry?.kind === 'admitted' ? podOf(entry) : undefined
  }

  isAdmitted(uid: string): boolean {
    return this.#entries.get(uid)?.kind === 'admitted'
  }

  isRefused(uid: string): boolean {
    const entry = this.#entries.get(uid)
    return entry?.kind === 'refused' || (entry?.kind === 'leftover' && entry.refused)
  }

  /** The pod, if admission refused it and nothing of it is left. */
  refused(uid: string): Pod | undefined {
    const entry = this.#entries.get(uid)
    return entry?.kind === 'refused' ? entry.pod : undefined
  }

  /** The pods that count on the node, in the order of their admission. */
  counted(): readonly Pod[] {
    return [...this.#entries.values()].flatMap((entry) => (entry.kind === 'admitted' ? [podOf(entry)] : []))
  }

  /** How many pods count on the node. */
  get count(): number {
    return this.#admitted
  }

  /** The total of a resource that they request. */
  requested(resource: string): Quantity {
    return this.#sums.of(resource)
  }

  /** The UIDs of pods that hold resources, or may. */
  *holders(): Iterable<string> {
    for (const [uid, { kind }] of this.#entries) if (kind !== 'refused') yield uid
  }

  *#allTotals() {
    for (const entry of this.#entries.values()) if (entry.kind === 'admitted') yield entry.amounts.totals
  }
}

const totalsOf = (entry: PodEntry | undefined) => (entry?.kind === 'admitted' ? entry.amounts.totals : undefined)
// The keeper decodes exactly the pod that it was given.
/** Whether pods that wait for resources may find more of them after a change of this pod. */
export function freesResources({ before, after }: PodChange): boolean {
  const [held, left] = [totalsOf(before), totalsOf(after)]
  if (held === undefined || held === left) return false
  return left === undefined || [...held].some(([name, amount]) => (left.get(name)?.compare(amount) ?? -1) < 0)
}

const podOf = ({ keeper }: Extract<PodEntry, { kind: 'admitted' }>): Pod => keeper.object as Pod

/** The pod, if its entry holds resources that have to be released. */
export function heldBy(entry: PodEntry | undefined): Pod | undefined {
  if (entry?.kind === 'admitted') return podOf(entry)
  return entry?.kind === 'leftover' ? entry.pod : undefined
}

function transition(entry: PodEntry | undefined, event: PodEvent, reader: AmountsReader): PodEntry | undefined {
  switch (event.kind) {
    case 'arrived':
      return entry === undefined || entry.kind === 'arriving' ? { kind: 'arriving', pod: event.pod } : entry
    case 'admitted':
      return counted(event.pod, undefined, reader)
    case 'changed':
      return entry?.kind === 'admitted' ? counted(event.pod, entry.amounts, reader) : entry
    case 'refused':
      return event.running ? { kind: 'leftover', pod: event.pod, refused: true } : { kind: 'refused', pod: event.pod }
    case 'found-ended': {
      const refused = entry?.kind === 'refused' || (entry?.kind === 'leftover' && entry.refused)
      if (event.leftover) return { kind: 'leftover', pod: event.pod, refused }
      if (entry?.kind === 'refused') return { kind: 'refused', pod: event.pod }
      return entry?.kind === 'arriving' ? undefined : entry
    }
    // As in the kubelet, what it held is free at once, also while its containers still run after a forced deletion.
    case 'object-gone':
      return undefined
    case 'ended':
      if (entry?.kind === 'leftover') return entry.refused ? { kind: 'refused', pod: entry.pod } : undefined
      return entry?.kind === 'admitted' ? undefined : entry
  }
}

const counted = (pod: Pod, known: PodAmounts | undefined, reader: AmountsReader): PodEntry => ({
  kind: 'admitted',
  keeper: kept(pod),
  amounts: reader.read(pod, known),
})
