import { giveUncountedTurn } from '../../../../base/turns.ts'

/** In how many turns of the event loop an event of the cluster reaches the proxy's client at most. Mostly it takes one or two. */
const DELIVERY_TURNS = 20

/**
 * Resolves when what the cluster has sent has reached the program, and what the program has sent has reached the proxy: cluster and proxy
 * are in this process. Turns are counted, not time: on a busy machine each of them is late.
 */
export async function delivery(): Promise<void> {
  for (let i = 0; i < DELIVERY_TURNS; i++) await giveUncountedTurn()
}
