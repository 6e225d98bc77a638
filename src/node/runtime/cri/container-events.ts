import type { Clock } from '../../../base/clock.ts'
import { Signal } from '../../../base/signal.ts'
import type { ContainerStatus, RuntimeEvent, SandboxStatus } from '../runtime.ts'
import type { ContainerView } from './container-view.ts'

/** As the kubelet's: what runs is listed anew every second. */
const RELIST_MS = 1000

export interface Listing {
  readonly sandboxes: readonly SandboxStatus[]
  readonly containers: readonly ContainerStatus[]
}

/** Reports changes in the runtime by comparing lists (the kubelet's pod lifecycle event generator). */
export class ContainerEvents {
  readonly #view: ContainerView
  readonly #clock: Clock
  readonly #changed = new Set<Signal>()

  constructor(view: ContainerView, clock: Clock) {
    this.#view = view
    this.#clock = clock
  }

  /** Something was changed through this runtime: it is listed at once. */
  changed(): void {
    for (const signal of this.#changed) signal.raise()
  }

  /** Rejects when the runtime does not respond. */
  async run(tell: (event: RuntimeEvent) => void, signal: AbortSignal): Promise<void> {
    const wake = new Signal()
    this.#changed.add(wake)
    try {
      let before = await this.#list(signal)
      while (!signal.aborted) {
        await wake.wait({ clock: this.#clock, untilMs: this.#clock.now() + RELIST_MS, signal })
        if (signal.aborted) return
        const after = await this.#list(signal)
        for (const event of eventsBetween(before, after)) tell(event)
        before = after
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      this.#changed.delete(wake)
    }
  }

  async #list(signal: AbortSignal): Promise<Listing> {
    const [sandboxes, containers] = await Promise.all([this.#view.sandboxes({}, signal), this.#view.containers({}, signal)])
    return { sandboxes, containers }
  }
}

/** What happened between two lists, also to containers that came and ended in between. Pure. */
export function eventsBetween(before: Listing, after: Listing): readonly RuntimeEvent[] {
  const known = new Map(before.containers.map((c) => [c.id, c]))
  const present = new Set(after.containers.map((c) => c.id))
  const sandboxStates = new Map(before.sandboxes.map((s) => [s.id, s.state]))
  const sandboxIds = new Set(after.sandboxes.map((s) => s.id))
  return [
    ...after.sandboxes.filter((s) => sandboxStates.get(s.id) !== s.state).map(sandboxEvent),
    ...before.sandboxes.filter((s) => !sandboxIds.has(s.id)).map(sandboxEvent),
    ...after.containers.flatMap((c) => transitions(known.get(c.id), c)),
    ...before.containers.filter((c) => !present.has(c.id)).map((c) => eventOf('removed', c)),
  ]
}

const sandboxEvent = ({ pod }: SandboxStatus): RuntimeEvent => ({ kind: 'sandbox', podUid: pod.uid })
const eventOf = (kind: RuntimeEvent['kind'], { pod, id }: ContainerStatus): RuntimeEvent => ({ kind, podUid: pod.uid, containerId: id })

const STEPS = ['created', 'started', 'died'] as const
const REACHED = { created: 1, running: 2, exited: 3, unknown: 3 } as const

function transitions(before: ContainerStatus | undefined, after: ContainerStatus): readonly RuntimeEvent[] {
  const from = before === undefined ? 0 : REACHED[before.state]
  return STEPS.slice(from, REACHED[after.state]).map((kind) => eventOf(kind, after))
}
