import type { TrialWorld } from './trial-world.ts'

/** A broken rule: the observation, and the trial cluster in which it was made. */
export class Broken extends Error {
  override readonly name = 'Broken'
  readonly world: TrialWorld

  constructor(message: string, world: TrialWorld) {
    super(message)
    this.world = world
  }
}
