import type { KubeObject } from '../object.ts'
import type { ContainerOfNetwork, PodOfNetwork, PolicyOfNetwork } from './network-objects.ts'
import type { NamedPort, NetworkPod, NetworkWorld } from './network-world.ts'

/** The world as lists of the API show it. Pods that are over send and receive nothing. */
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

/** Of containers that stay: an init container does so when it is always restarted. */
function portsOf(spec: PodOfNetwork['spec']): NamedPort[] {
  const containers: readonly ContainerOfNetwork[] = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter((c) => c.restartPolicy === 'Always'),
  ]
  return containers.flatMap(({ ports = [] }) =>
    ports.map(({ name = '', containerPort, protocol = 'TCP' }) => ({ name, port: containerPort, protocol })),
  )
}
