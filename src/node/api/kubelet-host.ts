import type { Family } from '../../base/exposition.ts'
import type { PodLogQuery } from '../pod/open-log.ts'
import type { ProbeCount } from '../probes/probe-counts.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Machine } from '../status/node-object.ts'
import type { MachineUse } from '../types/machine-use.ts'
import type { Pod } from '../types/pod.ts'
import type { VolumeUse } from '../types/volume-use.ts'

/** The node as the kubelet's server needs it. */
export interface KubeletHost {
  readonly nodeName: string
  readonly machine: Machine
  readonly ids: { readonly machineId: string; readonly bootId: string }
  readonly runtime: Runtime
  /** All pods that are bound to the node, in any phase, as last seen. */
  pods(): readonly Pod[]
  /** What a container has printed. Throws `LogError` if it cannot have printed anything. */
  logs(pod: Pod, container: string, query: PodLogQuery, signal: AbortSignal): AsyncIterable<string>
  /** How full a pod's volumes are, by their names in the pod. Default: they are simulated, and empty. */
  volumeUse?(podUid: string): ReadonlyMap<string, VolumeUse>
  /** The size of a claim whose volume is simulated, in bytes; undefined: it has none. Default: no volume is simulated. */
  claimCapacity?(namespace: string, name: string, signal: AbortSignal): Promise<number | undefined>
  /** What the machine and its pods use. Default: it is simulated, and uses nothing beside what its containers do. */
  machineUse?(signal: AbortSignal): Promise<MachineUse>
  /** Whether the node's agent is healthy. */
  alive(): boolean
  /** The metrics of the agent and its parts. */
  families?(): readonly Family[]
  /** The results of probes. */
  probes?(): readonly ProbeCount[]
}

export const podByName = (host: Pick<KubeletHost, 'pods'>, namespace: string, name: string): Pod | undefined =>
  host.pods().find((pod) => pod.metadata.name === name && (pod.metadata.namespace ?? '') === namespace)

/** The names of all containers of a pod, init and ephemeral ones included. */
export const containerNames = (pod: Pod): readonly string[] =>
  (['containers', 'initContainers', 'ephemeralContainers'] as const).flatMap((list) =>
    ((pod.spec[list] ?? []) as readonly { name: string }[]).map((c) => c.name),
  )
