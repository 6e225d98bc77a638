import type { KubeObject } from '../object.ts'
import type { NamedPort, NetworkPod, NetworkWorld } from './network-world.ts'

/** The world as lists of the API show it. Pods that are over send and receive nothing. */
export function worldOf(objects: {
  readonly namespaces: readonly KubeObject[]
  readonly pods: readonly KubeObject[]
  readonly policies: readonly KubeObject[]
}): NetworkWorld {
  return {
    namespaces: new Map(objects.namespaces.map(({ metadata }) => [metadata.name ?? '', metadata.labels ?? {}])),
    pods: objects.pods.filter((pod) => !OVER.includes(pod.status?.phase)).map(networkPod),
    policies: objects.policies.map(({ metadata, spec }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      spec: spec ?? {},
    })),
  }
}

const OVER = ['Succeeded', 'Failed']

function networkPod({ metadata, spec, status }: KubeObject): NetworkPod {
  const ips: readonly { ip?: string }[] = status?.podIPs ?? (status?.podIP ? [{ ip: status.podIP }] : [])
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    labels: metadata.labels ?? {},
    ips: ips.flatMap(({ ip }) => (ip ? [ip] : [])),
    hostNetwork: spec?.hostNetwork === true,
    ports: portsOf(spec),
  }
}

interface Container {
  readonly restartPolicy?: string
  readonly ports?: readonly { readonly name?: string; readonly containerPort?: number; readonly protocol?: NamedPort['protocol'] }[]
}

/** Of containers that stay: an init container does so when it is always restarted. */
function portsOf(spec: KubeObject['spec']): NamedPort[] {
  const containers: readonly Container[] = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter((c: Container) => c.restartPolicy === 'Always'),
  ]
  return containers.flatMap(({ ports = [] }) =>
    ports.map(({ name = '', containerPort = 0, protocol = 'TCP' }) => ({ name, port: containerPort, protocol })),
  )
}
