import { pause } from '../../base/pause.ts'
import type { ControllerDeps, CreateController } from './controller.ts'
import { synced } from './informer-set.ts'
import { requestedInformers } from './requested-informers.ts'

/** A controller that looks at everything from time to time. */
export interface PeriodicDefinition<Deps> {
  /** For the log. */
  readonly name: string
  /** The pause between two rounds. */
  readonly periodMs: number
  /** The dependencies of a round. All informers that are requested here have synced before the first round. */
  readonly deps: (given: ControllerDeps) => Deps
  /** Its failure is logged; the next round is tried all the same. */
  readonly round: (deps: Deps) => Promise<void>
}

/** A longer pause is no routine: its end is waited for. */
const SHORT_MS = 60_000

export function definePeriodicController<Deps>({ name, periodMs, deps: depsOf, round }: PeriodicDefinition<Deps>): CreateController {
  return (given) => {
    const { informers, ready } = requestedInformers(given.informers)
    const deps = depsOf({ ...given, informers })
    return {
      name,
      async run(signal) {
        if (!(await synced(ready(), signal))) return
        while (!signal.aborted) {
          await round(deps).catch((error) => given.log.warn(`a round of ${name} failed`, { error }))
          await pause(given.clock, periodMs, signal, periodMs <= SHORT_MS ? 'routine' : 'work')
        }
      },
    }
  }
}
