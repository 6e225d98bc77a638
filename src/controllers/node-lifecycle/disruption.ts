import type { Clock } from '../../base/clock.ts'

/**
 * As kube-controller-manager's `--node-eviction-rate`, `--secondary-node-eviction-rate`, `--large-cluster-size-threshold` and
 * `--unhealthy-zone-threshold`.
 */
const RATE = 0.1
const SECONDARY_RATE = 0.01
const LARGE = 50
const UNHEALTHY_SHARE = 0.55

/** What the rate of evictions depends on. */
export interface NodeHealth {
  readonly zone: string
  readonly ready: boolean
}

type State = 'normal' | 'partial' | 'full'

/** The state of a zone with these nodes. Pure. */
export function stateOf(ready: number, notReady: number): State {
  if (ready === 0 && notReady > 0) return 'full'
  return notReady > 2 && notReady / (notReady + ready) >= UNHEALTHY_SHARE ? 'partial' : 'normal'
}

/** How many nodes of a zone may be given up per second. Pure. */
export function rateOf(state: State, size: number): number {
  if (state !== 'partial') return RATE
  return size > LARGE ? SECONDARY_RATE : 0
}

interface Zone {
  readonly state: State
  readonly rate: number
  /** When the next node may be given up. */
  freeAtMs: number
}

/**
 * Slows evictions down: if many nodes of a zone are lost at once, or all nodes, the cause is probably the network, or this controller
 * itself.
 */
export class Disruption {
  readonly #clock: Pick<Clock, 'now'>
  #zones = new Map<string, Zone>()
  /** How many nodes of each zone are ready, and are not. */
  counts: ReadonlyMap<string, { readonly ready: number; readonly notReady: number }> = new Map()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Whether no node of any zone is ready: then no pod is evicted. */
  get total(): boolean {
    return this.#zones.size > 0 && [...this.#zones.values()].every((z) => z.state === 'full')
  }

  /** Takes the state of all nodes; returns what has changed for all of them. */
  observe(nodes: readonly NodeHealth[]): 'all lost' | 'some are back' | undefined {
    const was = this.total
    const counts = new Map<string, { ready: number; notReady: number }>()
    for (const { zone, ready } of nodes) {
      const count = counts.get(zone) ?? { ready: 0, notReady: 0 }
      count[ready ? 'ready' : 'notReady']++
      counts.set(zone, count)
    }
    const now = this.#clock.now()
    const zones = new Map<string, Zone>()
    for (const [zone, { ready, notReady }] of counts) {
      const state = stateOf(ready, notReady)
      const rate = rateOf(state, ready + notReady)
      const known = this.#zones.get(zone)
      zones.set(zone, { state, rate, freeAtMs: known?.rate === rate ? known.freeAtMs : now })
    }
    this.#zones = zones
    this.counts = counts
    if (this.total === was) return undefined
    return was ? 'some are back' : 'all lost'
  }

  /** Whether a node of the zone may be given up now; true takes the token. */
  mayGiveUp(zoneName: string): boolean {
    const zone = this.#zones.get(zoneName)
    const now = this.#clock.now()
    if (zone === undefined) return true
    if (this.total || zone.rate === 0 || now < zone.freeAtMs) return false
    zone.freeAtMs = now + 1000 / zone.rate
    return true
  }
}
