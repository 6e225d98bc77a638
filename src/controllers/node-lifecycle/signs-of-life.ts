import type { Clock } from '../../base/clock.ts'
import type { Lease } from '../../resources/types/coordination.ts'
import type { Node } from '../../resources/types/core.ts'
import type { Informer } from '../../sdk/informer/informer.ts'

/** A longer pause between two looks means that this process was suspended (a closed lid, a debugger, SIGSTOP). */
const SLEPT_MS = 20_000
const NAMESPACE = 'kube-node-lease'

/**
 * When each node gave its last sign of life, by this process's clock: those of other machines may differ. Time in which this process was
 * suspended does not count: nodes have their whole grace period after it.
 */
export class SignsOfLife {
  readonly #clock: Pick<Clock, 'now'>
  /** When each node's lease was renewed last, by the node's clock. Five thousand leases are not read again at each look. */
  readonly #renewed = new Map<string, string | undefined>()
  readonly #seen = new Map<string, { readonly sign: string; atMs: number }>()
  #lookedMs: number

  constructor(clock: Pick<Clock, 'now'>, leases: Pick<Informer<Lease>, 'addHandler'>) {
    this.#clock = clock
    this.#lookedMs = clock.now()
    const renewed = ({ metadata, spec }: Lease) => {
      if (metadata.namespace === NAMESPACE) this.#renewed.set(metadata.name ?? '', spec?.renewTime)
    }
    const gone = ({ metadata }: Lease) => {
      if (metadata.namespace === NAMESPACE) this.#renewed.delete(metadata.name ?? '')
    }
    leases.addHandler({ added: renewed, updated: renewed, deleted: gone })
  }

  /** Each round of the patrol calls this, more often than every 20 seconds. */
  look(): void {
    const now = this.#clock.now()
    const sleptMs = this.#sleptMs()
    this.#lookedMs = now
    if (sleptMs > 0) for (const entry of this.#seen.values()) entry.atMs = Math.min(now, entry.atMs + sleptMs)
  }

  /** The time since the last round, if it is longer than a running process leaves between two. */
  #sleptMs(): number {
    const sinceMs = this.#clock.now() - this.#lookedMs
    return sinceMs > SLEPT_MS ? sinceMs : 0
  }

  /** When the node last renewed its lease, or reported its status. */
  ofNode({ metadata: { name = '' }, status }: Node): number {
    const beat = status?.conditions?.find((c) => c.type === 'Ready')?.lastHeartbeatTime
    return this.lastMs(name, `${this.#renewed.get(name)} ${beat}`)
  }

  /** When the node gave `sign`, its latest. */
  lastMs(node: string, sign: string): number {
    const known = this.#seen.get(node)
    const now = this.#clock.now()
    if (known?.sign === sign) return Math.min(now, known.atMs + this.#sleptMs())
    this.#seen.set(node, { sign, atMs: now })
    return now
  }

  /** Every node has its whole grace period again. */
  renew(): void {
    const now = this.#clock.now()
    for (const entry of this.#seen.values()) entry.atMs = now
  }

  forget(node: string): void {
    this.#seen.delete(node)
  }
}
