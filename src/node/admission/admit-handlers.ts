import type { ContainerAdditions } from '../runtime/container-spec.ts'
import type { AdmitHandler } from '../types/admit-handler.ts'
import type { Container, Pod } from '../types/pod.ts'
import { admitPod } from './admit-pod.ts'

/** All admission handlers of a node as one. */
export interface AdmitHandlers extends Required<Omit<AdmitHandler, 'name' | 'prepare' | 'additions'>> {
  additions(pod: Pod, container: Container): readonly ContainerAdditions[]
}

/** Handlers run in this order and release in the reverse order. */
export function admitHandlers(handlers: readonly AdmitHandler[]): AdmitHandlers {
  const backwards = [...handlers].reverse()
  // Most handlers have no such step; waiting for none of them would still cost a turn.
  const starting = handlers.filter((h) => h.beforeStart !== undefined)
  const making = handlers.filter((h) => h.beforeSandbox !== undefined)
  const ending = handlers.filter((h) => h.afterStop !== undefined)
  const completing = handlers.filter((h) => h.completeSandbox !== undefined || h.completeContainer !== undefined)
  const clearing = handlers.filter((h) => h.clear !== undefined)
  return {
    admit: (request, signal) => admitPod(handlers, request, signal),
    release: (pod) => {
      for (const handler of backwards) handler.release(pod)
    },
    additions: (pod, container) => handlers.flatMap((h) => h.additions?.(pod, container) ?? []),
    beforeStart: async (pod, container, signal) => {
      for (const handler of starting) await handler.beforeStart?.(pod, container, signal)
    },
    afterStart: async (started) => {
      for (const handler of completing) await handler.afterStart?.(started)
    },
    afterPrune: async (pod, left) => {
      for (const handler of completing) await handler.afterPrune?.(pod, left)
    },
    beforeSandbox: async (pod, signal) => {
      for (const handler of making) {
        const held = await handler.beforeSandbox?.(pod, signal)
        if (held !== undefined) return held
      }
      return undefined
    },
    afterStop: async (pod, signal) => {
      for (const handler of ending) await handler.afterStop?.(pod, signal)
    },
    completeSandbox: async (pod, given) => {
      let spec = given
      for (const handler of completing) spec = (await handler.completeSandbox?.(pod, spec)) ?? spec
      return spec
    },
    completeContainer: async (request, signal) => {
      let { spec } = request
      for (const handler of completing) spec = (await handler.completeContainer?.({ ...request, spec }, signal)) ?? spec
      return spec
    },
    completeResources: (pod, container, given) =>
      handlers.reduce((resources, h) => h.completeResources?.(pod, container, resources) ?? resources, given),
    resizePod: async (request, signal) => {
      for (const handler of handlers) await handler.resizePod?.(request, signal)
    },
    memoryFault: async (pod, limits, signal) => {
      for (const handler of handlers) {
        const fault = await handler.memoryFault?.(pod, limits, signal)
        if (fault !== undefined) return fault
      }
      return undefined
    },
    heldAmounts: (pod) => {
      for (const handler of handlers) {
        const held = handler.heldAmounts?.(pod)
        if (held !== undefined) return held
      }
      return undefined
    },
    completePull: async (pod, given) => {
      let pull = given
      for (const handler of completing) pull = (await handler.completePull?.(pod, pull)) ?? pull
      return pull
    },
    clear: async (pod) => {
      for (const handler of clearing) await handler.clear?.(pod)
    },
    resourceHealth: (pod, container) => handlers.flatMap((h) => h.resourceHealth?.(pod, container) ?? []),
    watchPods: (changed, signal) => {
      for (const handler of handlers) handler.watchPods?.(changed, signal)
    },
    resizeRefusal: (pod, given) => {
      for (const handler of handlers) {
        const reason = handler.resizeRefusal?.(pod, given)
        if (reason !== undefined) return reason
      }
      return undefined
    },
    accountsFor: (pod, resource) => handlers.some((h) => h.accountsFor?.(pod, resource) === true),
    retain: (podUids) => {
      for (const handler of handlers) handler.retain?.(podUids)
    },
  }
}
