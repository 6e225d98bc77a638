import { holding } from '../../base/clock.ts'
import { Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import type { Controller, ControllerDeps } from './controller.ts'

/** A controller that is loaded and started when the first object that it cares for is there. */
export interface OnDemandController {
  readonly name: string
  readonly wakes: readonly ResourceRef[]
  /** Whether an object of these is one that it cares for. Default: each is. */
  readonly caresFor?: (object: KubeObject) => boolean
  readonly load: () => Promise<(deps: ControllerDeps) => Controller>
}

/** Until there is an object of a kind, its controller costs nothing, not even its code. */
export function createOnDemandController(entry: OnDemandController, deps: ControllerDeps): Controller {
  return {
    name: entry.name,
    async run(signal) {
      const needed = new Signal()
      const look = (object: KubeObject) => {
        if (entry.caresFor?.(object) !== false) needed.raise()
      }
      const stops = entry.wakes.map((ref) => deps.informers.of(ref).addHandler({ added: look, updated: look }))
      const woken = await needed.wait({ signal })
      for (const stop of stops) stop()
      if (woken === 'aborted') return
      const create = await holding(deps.clock, `loading the controller ${entry.name}`, entry.load)
      await create(deps).run(signal)
    },
  }
}
