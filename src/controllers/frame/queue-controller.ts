import { type ListedControllerOptions, runListedController } from '../../sdk/controller/run-controller.ts'
import type { Controller } from './controller.ts'

interface QueueControllerOptions extends Omit<ListedControllerOptions, 'ready'> {
  /** The copies of collections that it decides by: it begins when all are complete. */
  readonly copies: readonly { readonly synced: Promise<void> }[]
}

/** The controller that works off a queue of keys. */
export const queueController = ({ copies, ...options }: QueueControllerOptions): Controller => ({
  name: options.name,
  run: (signal) => runListedController({ ...options, ready: copies.map((c) => c.synced) }, signal),
})
