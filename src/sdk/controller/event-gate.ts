/** A source of events for a gate. */
export interface EventLane {
  /** Begins with the next event, and resolves when it was sent or refused; undefined: none waits. Never rejects. */
  next(): Promise<void> | undefined
}

/** How many events may be on the way at once, and how much may wait, of all recorders that share it. */
export interface EventGate {
  /** Makes room for an event that waits; false: there is none. */
  take(sizeBytes: number): boolean
  /** An event for which room was made was sent or refused. */
  free(sizeBytes: number): void
  /** The lane has something to send: its `next` is called in its turn, and again while something waits in it. */
  ready(lane: EventLane): void
}

/**
 * How many events are in flight while they yield to more urgent requests: one, so that they progress, and the condition is checked again.
 */
const GIVING_WAY = 1
/** What may wait of the recorders that share a gate: some 800,000 events. The scheduler and the nodes have one each. */
const MOST_WAITING_BYTES = 256 << 20
/** Beyond this queue size events no longer yield, so that the queue does not grow until events are dropped. */
const HELD_BACK_BYTES = 32 << 20

/**
 * Makes a gate through which `limit` events may be in flight at once, or one while `givesWay` returns true. A waiting event is only its
 * record: its object, name and request are made when it is sent.
 */
export function createEventGate(limit: number, givesWay: () => boolean = () => false): EventGate {
  let inside = 0
  let waitingBytes = 0
  /** In the order of their turns. A lane with more events goes to the end, so that no lane waits for all events of another. */
  const lanes = new Set<EventLane>()
  const room = () => (waitingBytes <= HELD_BACK_BYTES && givesWay() ? GIVING_WAY : limit)
  const left = () => {
    inside--
    begin()
  }
  const begin = () => {
    for (const lane of lanes) {
      if (inside >= room()) return
      lanes.delete(lane)
      const sending = lane.next()
      if (sending === undefined) continue
      lanes.add(lane)
      inside++
      void sending.then(left)
    }
  }
  return {
    take(sizeBytes) {
      if (waitingBytes + sizeBytes > MOST_WAITING_BYTES) return false
      waitingBytes += sizeBytes
      return true
    },
    free(sizeBytes) {
      waitingBytes -= sizeBytes
    },
    ready(lane) {
      lanes.add(lane)
      begin()
    },
  }
}
