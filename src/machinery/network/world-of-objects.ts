import type { KubeObject } from '../object.ts'
import type { ContainerOfNetwork, PodOfNetwork, PolicyOfNetwork } from './network-objects.ts'
import type { NamedPort, NetworkPod, NetworkWorld } from './network-world.ts'

/** The network from lists of API objects. Finished pods send and receive nothing. */
export function worldOf(objects: {
  readonly namespaces: readonly KubeObject[]
  readonly pods: readonly PodOfNetwork[]
  readonly policies: readonly PolicyOfNetwork[]
}): NetworkWorld {
  return {
    namespaces: new Map(objects.namespaces.map(({ metadata }) => [metadata.name ?? '', metadata.labels ?? {}])),
    pods: objects.pods.filter((pod) => !OVER.includes(pod.status?.phase ?? '')).map(networkPod),
    policies: objects.policies.map(({ metadata, spec }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      spec: spec ?? {},
    })),
  }
}

const OVER = ['Succeeded', 'Failed']

function networkPod({ metadata, spec, status }: PodOfNetwork): NetworkPod {
  const ips = status?.podIPs ?? (status?.podIP ? [{ ip: status.podIP }] : [])
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    labels: metadata.labels ?? {},
    ips: ips.flatMap(({ ip }) => (ip ? [ip] : [])),
    hostNetwork: spec?.hostNetwork === true,
    ports: portsOf(spec),
  }
}

/** Ports of containers that keep running: an init container does if its restart policy is Always. */
function portsOf(spec: PodOfNetwork['spec']): NamedPort[] {
  const containers: readonly ContainerOfNetwork[] = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always'),
  ]
  return containers.flatMap(({ ports = [] }) =>
    ports.map(({ name = '', containerPort, protocol = 'TCP' }) => ({ name, port: containerPort, protocol })),
  )
}
