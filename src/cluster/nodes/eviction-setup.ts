import type { Clock } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { describesUsage } from '../../node/eviction/described-keys.ts'
import { OnDemandEviction } from '../../node/eviction/on-demand-eviction.ts'
import type { Runtime } from '../../node/runtime/runtime.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { PodFigures } from '../metrics/pod-figures.ts'
import type { TopologySetup } from './topology-setup.ts'

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
  readonly figures: PodFigures
  readonly topology: TopologySetup | undefined
}): EvictionSetup {
  const { clock, figures, topology } = deps
  const nodes = new Map<string, OnDemandEviction>()
  figures.watch(() => {
    for (const node of nodes.values()) node.wake()
  })
  const load = async (runtime: Runtime) => {
    const { createDescribedUsage, completeEviction, EvictionManager } = await import('../../node/eviction/eviction.ts')
    const usage = createDescribedUsage({
      memory: (pods) => heldBy(pods, figures),
      files: (pod) => runtime.podFiles?.(pod.metadata.uid ?? ''),
      described: (pod) => figures.described || writes(pod, runtime),
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

/** What the running containers of these pods hold in memory. */
async function heldBy(pods: readonly Pick<Pod, 'metadata'>[], figures: PodFigures) {
  const found = await figures.now(pods.map(({ metadata: { namespace = '', name = '' } }) => ({ namespace, name })))
  const held = new Map(pods.map(({ metadata }, i) => [metadata.uid, found[i] ?? []]))
  return ({ metadata }: Pick<Pod, 'metadata'>) => (held.get(metadata.uid) ?? []).map(({ name, memoryBytes: bytes }) => ({ name, bytes }))
}
