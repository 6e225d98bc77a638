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
      const needed = await new Promise<boolean>((resolve) => {
        if (signal.aborted) resolve(false)
        signal.addEventListener('abort', () => resolve(false), { once: true })
        for (const ref of entry.wakes) {
          const wake = (object: KubeObject) => {
            if (entry.caresFor?.(object) === false) return
            resolve(true)
            queueMicrotask(() => stop())
          }
          const stop = deps.informers.of(ref).addHandler({ added: wake, updated: wake })
        }
      })
      if (!needed || signal.aborted) return
      const create = await entry.load()
      await create(deps).run(signal)
    },
  }
}
