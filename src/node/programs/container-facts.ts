import { type Resolver, resolvConf, resolverOf } from '../../machinery/network/resolver.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { type HostsEntry, hostsFile, hostsOf } from '../network/look-up.ts'
import type { OpenedContainer } from '../runtime/simulated/play.ts'
import { type Container, containersOf, type Pod } from '../types/pod.ts'
import { declaredPorts } from './declared-ports.ts'
import type { ContainerFacts } from './program.ts'
import type { ContainerExtras } from './program-container.ts'
import type { AnyImage } from './shipped/shipped-process.ts'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The pod as the API has it; when the API does not have it any more, what is known of it from its containers. */
export function podOf({ spec, sandbox }: OpenedContainer, objects: Reader): Pod {
  const { namespace, name, uid } = spec.pod
  const found = objects.get('', 'pods', namespace, name)
  if (found?.metadata.uid === uid) return found as Pod
  const { labels, annotations } = sandbox
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...spec.pod, labels, annotations }, spec: { containers: [] }, status: {} }
}

/** The container as the pod's manifest has it; undefined: the pod is not known any more. */
export type Definition = (Container & ContainerExtras) | undefined

export function definitionOf(pod: Pod, name: string): Definition {
  return containersOf(pod).find(({ container }) => container.name === name)?.container
}

/** How a container is found, and finds others. */
export interface ContainerNames {
  readonly ips: readonly string[]
  readonly resolver: Resolver
  readonly hosts: readonly HostsEntry[]
}

export function namesOf(
  { spec, sandbox, ips: ownIps }: OpenedContainer,
  pod: Pod,
  { nodeIp, nameserver }: { readonly nodeIp: string; readonly nameserver: string },
): ContainerNames {
  const { namespace } = spec.pod
  const { subdomain, hostAliases = [] } = pod.spec
  const ips = ownIps.length > 0 ? ownIps : [nodeIp]
  return {
    ips,
    resolver: resolverOf(pod.spec, { namespace, nameserver }),
    hosts: hostsOf({ hostname: sandbox.hostname, subdomain, namespace, ips, aliases: hostAliases }),
  }
}

/** Files that the kubelet writes for every container, by path. */
export function managedFiles(
  { sandbox }: OpenedContainer,
  pod: Pod,
  { resolver, hosts }: ContainerNames,
  messagePath: string,
): ReadonlyMap<string, string> {
  return new Map([
    ['/etc/hostname', `${sandbox.hostname}\n`],
    ['/etc/hosts', hostsFile(hosts, pod.spec.hostNetwork === true)],
    ['/etc/resolv.conf', resolvConf(resolver)],
    [messagePath, ''],
  ])
}

/** The environment that a command of the container starts with. */
export function environmentOf({ spec, sandbox, user }: OpenedContainer, image: AnyImage | undefined): Readonly<Record<string, string>> {
  return {
    PATH,
    HOSTNAME: sandbox.hostname,
    HOME: user.uid === 0 ? '/root' : '/',
    ...image?.environment,
    ...Object.fromEntries(spec.environment.map((e) => [e.name, e.value])),
  }
}

/** What a program may know of its container. */
export function factsOf(
  { spec, sandbox, user }: OpenedContainer,
  definition: Definition,
  { nodeName, ips }: { readonly nodeName: string; readonly ips: readonly string[] },
): ContainerFacts {
  return {
    pod: spec.pod,
    name: spec.name,
    image: spec.image,
    restarts: spec.attempt,
    hostname: sandbox.hostname,
    nodeName,
    ips,
    user: { uid: user.uid, gid: user.gid },
    labels: sandbox.labels,
    annotations: sandbox.annotations,
    ports: definition === undefined ? [] : declaredPorts(definition),
  }
}
