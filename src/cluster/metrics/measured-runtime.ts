import type { Clock } from '../../base/clock.ts'
import type { ContainerStats, Runtime } from '../../node/runtime/runtime.ts'

/** The current usage of a container. */
export interface PresentUsage {
  readonly nanoCores: number
  readonly memoryBytes: number
}

/** The current usage of all containers; undefined for unknown ones. */
export type UsageSource = () => (pod: { readonly namespace: string; readonly name: string }, container: string) => PresentUsage | undefined

/**
 * The same runtime with CPU counters computed from the given usage: between two measurements a container has used CPU at the rate of the
 * second
 * one. It remembers only what ran at the last measurement.
 */
export function measuredRuntime<R extends Runtime>(runtime: R, usage: UsageSource, clock: Clock): R {
  const spent = new Map<string, { atMs: number; nanoseconds: number }>()
  return {
    ...runtime,
    async stats(filter, signal) {
      const containers = (await runtime.containers(filter, signal)).filter((c) => c.state === 'running')
      const atMs = clock.now()
      const of = usage()
      const stats = containers.map(({ id, name, pod, startedAtMs = atMs }): ContainerStats => {
        const { nanoCores, memoryBytes } = of(pod, name) ?? { nanoCores: 0, memoryBytes: 0 }
        const before = spent.get(id) ?? { atMs: startedAtMs, nanoseconds: 0 }
        const nanoseconds = before.nanoseconds + (nanoCores * Math.max(0, atMs - before.atMs)) / 1000
        spent.set(id, { atMs, nanoseconds })
        return { containerId: id, name, pod, atMs, cpuNanoseconds: Math.round(nanoseconds), memoryBytes }
      })
      if (filter.podUid === undefined) {
        const running = new Set(containers.map((c) => c.id))
        for (const id of spent.keys()) if (!running.has(id)) spent.delete(id)
      }
      return stats
    },
  }
}
