/** How one priority level handles requests beyond its seats. */
export interface QueueConfig {
  /** Number of requests that run at once. */
  readonly seats: number
  /** Undefined: requests that find no seat are rejected. */
  readonly queuing?: { readonly queues: number; readonly handSize: number; readonly queueLengthLimit: number }
}

/** Gives the seat back; a second call has no effect. */
export type Leave = () => void

/** The decision about a request: it runs now, it waits, or it is rejected. */
export type Entry =
  | { readonly kind: 'run'; readonly leave: Leave }
  | { readonly kind: 'wait'; readonly ready: Promise<Leave>; readonly give: () => void }
  | { readonly kind: 'refuse' }

interface Waiting {
  readonly start: (leave: Leave) => void
}

interface Queue {
  readonly waiting: Waiting[]
  /** Requests served from this queue; the least served queue is next. */
  served: number
}

/**
 * Fair queuing by shuffle sharding: each flow gets a small hand of queues and uses the shortest of them; queues are served in turn. A flow
 * that floods fills its own hand, and nearly every other flow has a queue that it does not share. No clock; the only state is its own.
 */
export class FairQueues {
  #config: QueueConfig
  #running = 0
  #waiting = 0
  /** The service count of the queue that was served last: a queue that becomes active starts from it and so cannot accumulate credit. */
  #now = 0
  #queues: Queue[] = []

  constructor(config: QueueConfig) {
    this.#config = config
    this.#fit()
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  get seats(): number {
    return this.#config.seats
  }

  /** True if requests that find no seat wait. */
  get queues(): boolean {
    return this.#config.queuing !== undefined
  }

  /** Sets limits for later requests; those that wait already stay. */
  reconfigure(config: QueueConfig): void {
    this.#config = config
    this.#fit()
    this.#dispatch()
  }

  enter(flowHash: number): Entry {
    if (this.#running < this.#config.seats && this.#waiting === 0) return { kind: 'run', leave: this.#seat() }
    const queue = this.#choose(flowHash)
    if (queue === undefined) return { kind: 'refuse' }
    if (queue.waiting.length === 0) queue.served = Math.max(queue.served, this.#now)
    let start: (leave: Leave) => void = () => {}
    const ready = new Promise<Leave>((resolve) => {
      start = resolve
    })
    const entry: Waiting = { start }
    queue.waiting.push(entry)
    this.#waiting++
    this.#dispatch()
    return { kind: 'wait', ready, give: () => this.#forget(queue, entry) }
  }

  #fit(): void {
    const wanted = this.#config.queuing?.queues ?? 0
    while (this.#queues.length < wanted) this.#queues.push({ waiting: [], served: this.#now })
  }

  #seat(): Leave {
    this.#running++
    let left = false
    return () => {
      if (left) return
      left = true
      this.#running--
      this.#dispatch()
    }
  }

  #choose(flowHash: number): Queue | undefined {
    const queuing = this.#config.queuing
    if (queuing === undefined) return undefined
    let shortest: Queue | undefined
    for (const index of deal(flowHash, queuing.queues, queuing.handSize)) {
      const queue = this.#queues[index]
      if (queue !== undefined && (shortest === undefined || queue.waiting.length < shortest.waiting.length)) shortest = queue
    }
    return shortest !== undefined && shortest.waiting.length < queuing.queueLengthLimit ? shortest : undefined
  }

  #dispatch(): void {
    while (this.#waiting > 0 && this.#running < this.#config.seats) {
      let next: Queue | undefined
      for (const queue of this.#queues) if (queue.waiting.length > 0 && (next === undefined || queue.served < next.served)) next = queue
      const entry = next?.waiting.shift()
      if (next === undefined || entry === undefined) return
      this.#waiting--
      this.#now = next.served
      next.served++
      entry.start(this.#seat())
    }
  }

  #forget(queue: Queue, entry: Waiting): void {
    const at = queue.waiting.indexOf(entry)
    if (at < 0) return
    queue.waiting.splice(at, 1)
    this.#waiting--
  }
}

/** Deals a hand of distinct queues from the flow's hash: the same flow gets the same hand. */
export function deal(hash: number, queues: number, handSize: number): number[] {
  const hand: number[] = []
  let rest = hash >>> 0
  for (let i = 0; i < Math.min(handSize, queues); i++) {
    let card = rest % (queues - i)
    rest = Math.imul(Math.floor(rest / (queues - i)) ^ 0x9e3779b9, 0x85ebca6b) >>> 0
    for (const before of hand.toSorted((a, b) => a - b)) if (card >= before) card++
    hand.push(card)
  }
  return hand
}

/** FNV-1a of a flow's name. */
export function flowHash(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
