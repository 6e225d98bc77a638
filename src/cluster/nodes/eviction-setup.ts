import type { Clock } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { MeasuredPod } from '../../metrics-server/measure.ts'
import { describesUsage } from '../../node/eviction/described-keys.ts'
import { OnDemandEviction } from '../../node/eviction/on-demand-eviction.ts'
import type { Runtime } from '../../node/runtime/runtime.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { TopologySetup } from './topology-setup.ts'

/** The memory usage of pods of simulated nodes, as in the metrics APIs. */
export interface MemoryFigures {
  /** The current usage: of the running containers of a pod. */
  now(): (pod: MeasuredPod) => readonly { readonly name: string; readonly bytes: number }[]
  /** Whether a workload describes the usage of its pods. */
  readonly described: boolean
  /** Calls `tell` whenever a workload describes usage for the first time or anew. */
  watch(tell: () => void): void
}

/** The configuration of eviction on a cluster's nodes. */
export interface EvictionSetup {
  open(nodeName: string, runtime: Runtime): OnDemandEviction
}

const isPod = (object: KubeObject): object is Pod => object.kind === 'Pod'

/** Whether programs of a pod write to its disk, and the pod has a limit for that. */
function writes(object: KubeObject, runtime: Runtime): boolean {
  if (!isPod(object)) return false
  const { metadata, spec } = object
  const limited =
    (spec.volumes ?? []).some((v) => v.emptyDir?.sizeLimit !== undefined) ||
    spec.containers.some((c) => Object.hasOwn(c.resources?.limits ?? {}, 'ephemeral-storage'))
  return limited && runtime.podFiles?.(metadata.uid ?? '') !== undefined
}

export function evictionSetup(deps: {
  readonly clock: Clock
  readonly memory: MemoryFigures
  readonly topology: TopologySetup | undefined
}): EvictionSetup {
  const { clock, memory, topology } = deps
  const nodes = new Map<string, OnDemandEviction>()
  memory.watch(() => {
    for (const node of nodes.values()) node.wake()
  })
  const load = async (runtime: Runtime) => {
    const { createDescribedUsage, completeEviction, EvictionManager } = await import('../../node/eviction/eviction.ts')
    const usage = createDescribedUsage({
      memory: memory.now,
      files: (pod) => runtime.podFiles?.(pod.metadata.uid ?? ''),
      described: (pod) => memory.described || writes(pod, runtime),
      always: topology?.eviction.given === true,
      reservedMemoryBytes: topology?.reservedMemoryBytes ?? 0,
    })
    return new EvictionManager(topology?.eviction ?? completeEviction({}), { clock, usage })
  }
  return {
    open(name, runtime) {
      const eviction = new OnDemandEviction({
        clock,
        load: () => load(runtime),
        describes: (object) => describesUsage(object) || writes(object, runtime),
        always: topology?.eviction.given === true,
      })
      nodes.set(name, eviction)
      return eviction
    },
  }
}
