import type { Family } from '../../base/exposition.ts'
import type { PodLogQuery } from '../pod/open-log.ts'
import type { ProbeCount } from '../probes/probe-counts.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Machine } from '../status/node-object.ts'
import type { Pod } from '../types/pod.ts'

/** What the kubelet's server sees of its node. */
export interface KubeletHost {
  readonly nodeName: string
  readonly machine: Machine
  readonly ids: { readonly machineId: string; readonly bootId: string }
  readonly runtime: Runtime
  /** All that are bound to the node, whatever has become of them, as they were last seen. */
  pods(): readonly Pod[]
  /** What a container has printed. Throws `LogError` where it cannot have printed anything. */
  logs(pod: Pod, container: string, query: PodLogQuery, signal: AbortSignal): AsyncIterable<string>
  /** Whether the node's agent does its work. */
  alive(): boolean
  /** What the agent and its parts have counted. */
  families?(): readonly Family[]
  /** How probes went. */
  probes?(): readonly ProbeCount[]
}

export const podByName = (host: Pick<KubeletHost, 'pods'>, namespace: string, name: string): Pod | undefined =>
  host.pods().find((pod) => pod.metadata.name === name && (pod.metadata.namespace ?? '') === namespace)

/** Names of all containers of a pod, of every sort. */
export const containerNames = (pod: Pod): readonly string[] =>
  (['containers', 'initContainers', 'ephemeralContainers'] as const).flatMap((list) =>
    ((pod.spec[list] ?? []) as readonly { name: string }[]).map((c) => c.name),
  )
