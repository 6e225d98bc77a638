import type { ServerMessage } from '../wire/messages.ts'
import type { Subscription } from './subscription.ts'

/** A subscription to what came of something that is done once, and not given up when the browser goes. */
export class OutcomeSubscription implements Subscription {
  #message: ServerMessage | undefined

  /** `outcome` does not reject. */
  constructor(outcome: Promise<ServerMessage>, changed: () => void) {
    void outcome.then((message) => {
      this.#message = message
      changed()
    })
  }

  next(): ServerMessage | undefined {
    return this.#message
  }

  stop(): void {}
}
