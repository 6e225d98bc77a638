import { holding } from '../../base/clock.ts'
import { Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import type { Controller, ControllerDeps, CreateController } from './controller.ts'

/** A collection in which objects appear that concern a controller. */
export interface Wake {
  readonly ref: ResourceRef
  concerns(object: KubeObject): boolean
}

/** `when`: which objects concern the controller. Default: all. */
export const on = <T extends KubeObject>(ref: ResourceRef<T>, when: (object: T) => boolean = () => true): Wake => ({
  ref,
  // The objects of the ref's collection are its type's.
  concerns: (object) => when(object as T),
})

/** A controller that is loaded and started when the first object that concerns it appears. */
export interface OnDemandController {
  readonly name: string
  readonly wakes: readonly Wake[]
  readonly load: () => Promise<{ readonly createController: CreateController }>
}

/** A controller without objects costs nothing: not even its code is loaded. */
export function createOnDemandController({ name, wakes, load }: OnDemandController, deps: ControllerDeps): Controller {
  return {
    name,
    async run(signal) {
      const needed = new Signal()
      const stops = wakes.map((wake) => {
        const look = (object: KubeObject) => {
          if (wake.concerns(object)) needed.raise()
        }
        return deps.informers.of(wake.ref).addHandler({ added: look, updated: look })
      })
      const woken = await needed.wait({ signal })
      for (const stop of stops) stop()
      if (woken === 'aborted') return
      const { createController } = await holding(deps.clock, `loading the controller ${name}`, load)
      await createController(deps).run(signal)
    },
  }
}
