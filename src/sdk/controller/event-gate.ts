/** Who has events to send through a gate. */
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
  /** This lane has something to send: its `next` is called when it is its turn, and again as long as something waits in it. */
  ready(lane: EventLane): void
}

/** How many are on their way while they give way to what is more urgent: one, so that they go on, and are asked again whether they still have to. */
const GIVING_WAY = 1
/** What may wait of the recorders that share a gate: some 800,000 events. The scheduler and the nodes have one each. */
const MOST_WAITING_BYTES = 256 << 20
/** While more than that waits, events give way no more: they must not grow to where they are lost. */
const HELD_BACK_BYTES = 32 << 20

/**
 * Makes a gate through which `limit` events may be on their way at once; one at a time while `givesWay` says that others have to be first.
 * An event that waits is kept as it was recorded, and nothing else of it: its object, its name and its request are made when its turn comes.
 */
export function createEventGate(limit: number, givesWay: () => boolean = () => false): EventGate {
  let inside = 0
  let waitingBytes = 0
  /** In the order of their turns. A lane that still has events goes to the end: nobody waits for all that another has to tell. */
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
