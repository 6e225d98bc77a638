import type { Clock } from '../../../base/clock.ts'
import { TokenBucket } from '../../../base/token-bucket.ts'
import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import { answer } from '../../../sdk/grpc/serve-unix.ts'
import {
  type ContainerDevices,
  type ContainerMemory,
  type ContainerResources,
  type DynamicResource,
  POD_RESOURCES,
  POD_RESOURCES_ALPHA,
  type PodResources,
} from '../../../sdk/node-api/pod-resources.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { NO_NUMA } from './device-ledger.ts'
import type { DeviceManager } from './device-manager.ts'

/** The CPUs, memory and claims of containers. Empty if there are no such managers. */
export interface OtherResources {
  cpus?(podUid: string, container: string): readonly number[]
  memory?(podUid: string, container: string): readonly ContainerMemory[]
  claims?(pod: Pod, container: Container): readonly DynamicResource[]
  allocatableCpus?(): readonly number[]
  allocatableMemory?(): readonly ContainerMemory[]
}

export interface PodResourcesDeps {
  readonly manager: DeviceManager
  readonly others: OtherResources
  /** The admitted pods that have not ended. */
  readonly pods: () => readonly Pod[]
  /** A pod of the node, ended or not. Ended pods hold no resources. */
  readonly pod: (namespace: string, name: string) => Pod | undefined
  readonly clock: Clock
  readonly metrics: { podResources(version: 'v1' | 'v1alpha1', call: 'list' | 'get' | 'get_allocatable', failed: boolean): void }
}

/** The kubelet's rate limit, over all clients. */
const CALLS = { perSecond: 100, burst: 10 }

/** The PodResources services `v1` and `v1alpha1` over one ledger. */
export function podResourcesService(deps: PodResourcesDeps) {
  const { manager, others, metrics } = deps
  const calls = new TokenBucket(CALLS, deps.clock)
  const limited = () => {
    if (!calls.take()) throw new GrpcError('ResourceExhausted', 'rejected by rate limit')
  }
  return [
    answer(POD_RESOURCES.list, () => {
      limited()
      metrics.podResources('v1', 'list', false)
      return { podResources: deps.pods().map((pod) => podResources(deps, pod)) }
    }),
    answer(POD_RESOURCES.get, ({ podName, podNamespace }) => {
      limited()
      const pod = deps.pod(podNamespace, podName)
      metrics.podResources('v1', 'get', pod === undefined)
      if (pod === undefined) throw new GrpcError('Unknown', `pod ${podName} in namespace ${podNamespace} not found`)
      return { podResources: podResources(deps, pod) }
    }),
    answer(POD_RESOURCES.getAllocatableResources, () => {
      limited()
      metrics.podResources('v1', 'get_allocatable', false)
      const devices = [...manager.pools.values()].flatMap((pool) => pool.healthy.map((d) => device(pool.name, d.id, d.numaNodes)))
      return { devices, cpuIds: others.allocatableCpus?.() ?? [], memory: others.allocatableMemory?.() ?? [] }
    }),
    answer(POD_RESOURCES_ALPHA.list, () => {
      limited()
      metrics.podResources('v1alpha1', 'list', false)
      return {
        podResources: deps.pods().map((pod) => ({
          name: pod.metadata.name ?? '',
          namespace: pod.metadata.namespace ?? '',
          containers: pod.spec.containers.map((c) => ({ name: c.name, devices: devicesOf(deps, pod, c) })),
        })),
      }
    }),
  ]
}

function podResources(deps: PodResourcesDeps, pod: Pod): PodResources {
  const sidecars = (pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always')
  const { name = '', namespace = '' } = pod.metadata
  return { name, namespace, containers: [...sidecars, ...pod.spec.containers].map((c) => containerResources(deps, pod, c)) }
}

function containerResources(deps: PodResourcesDeps, pod: Pod, container: Container): ContainerResources {
  const { others } = deps
  const uid = pod.metadata.uid ?? ''
  return {
    name: container.name,
    devices: devicesOf(deps, pod, container),
    cpuIds: others.cpus?.(uid, container.name) ?? [],
    memory: others.memory?.(uid, container.name) ?? [],
    dynamicResources: others.claims?.(pod, container) ?? [],
  }
}

/** One entry per device, as in the kubelet. */
function devicesOf({ manager }: PodResourcesDeps, pod: Pod, container: Container): readonly ContainerDevices[] {
  return [...manager.ledger.ofContainer(pod.metadata.uid ?? '', container.name)].flatMap(([resource, { byNuma }]) => {
    const near = new Map<string, number[]>()
    for (const [node, ids] of byNuma) for (const id of ids) near.set(id, [...(near.get(id) ?? []), ...(node === NO_NUMA ? [] : [node])])
    return [...near].map(([id, nodes]) => device(resource, id, nodes))
  })
}

const device = (resourceName: string, id: string, numaNodes: readonly number[]): ContainerDevices => ({
  resourceName,
  deviceIds: [id],
  topology: numaNodes.length === 0 ? undefined : { nodes: numaNodes.map((n) => ({ id: n })) },
})
