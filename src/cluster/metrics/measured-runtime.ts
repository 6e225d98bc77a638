import type { Clock } from '../../base/clock.ts'
import type { ContainerStats, Runtime } from '../../node/runtime/runtime.ts'
import type { ContainerFigures, PodFigures, PodName } from './pod-figures.ts'

/**
 * The same runtime with CPU counters computed from the given usage: between two measurements a container has used CPU at the rate of the
 * second one. It remembers only what ran at the last measurement.
 */
export function measuredRuntime<R extends Runtime>(runtime: R, figures: Pick<PodFigures, 'now'>, clock: Clock): R {
  const spent = new Map<string, { atMs: number; nanoseconds: number }>()
  return {
    ...runtime,
    async stats(filter, signal) {
      const containers = (await runtime.containers(filter, signal)).filter((c) => c.state === 'running')
      const of = await figuresOf(
        containers.map(({ pod }) => pod),
        figures,
      )
      const atMs = clock.now()
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

const keyOf = ({ namespace, name }: PodName) => `${namespace}/${name}`

/** The figures of each container; each pod is asked for once. */
async function figuresOf(
  pods: readonly PodName[],
  figures: Pick<PodFigures, 'now'>,
): Promise<(pod: PodName, container: string) => ContainerFigures | undefined> {
  const requested = [...new Map(pods.map(({ namespace, name }) => [keyOf({ namespace, name }), { namespace, name }])).values()]
  const found = await figures.now(requested)
  const byPod = new Map(requested.map((pod, i) => [keyOf(pod), found[i]]))
  return (pod, container) => byPod.get(keyOf(pod))?.find(({ name }) => name === container)
}
