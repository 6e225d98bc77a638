import type { TrialWorld } from './trial-world.ts'

/** A rule that was broken: what was seen, and the world in which it was. */
export class Broken extends Error {
  override readonly name = 'Broken'
  readonly world: TrialWorld

  constructor(message: string, world: TrialWorld) {
    super(message)
    this.world = world
  }
}
