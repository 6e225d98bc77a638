import { ignoring } from '../../machinery/ignoring.ts'
import { quantityValue } from '../../node/api/amounts.ts'
import type { KubeletHost } from '../../node/api/kubelet-host.ts'
import type { SharedFeed } from '../../node/feed.ts'
import { deviceFolders } from '../../node/plugins/device-folders.ts'
import { openLog } from '../../node/pod/open-log.ts'
import { ProbeCounts } from '../../node/probes/probe-counts.ts'
import { createSimulatedRuntime, type SimulatedRuntime } from '../../node/runtime/simulated/simulated-runtime.ts'
import { DEFAULT_MACHINE, type NodeIdentity } from '../../node/status/node-object.ts'
import { machineOf, type NodeShape } from '../../node/status/node-shape.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../resources/refs.ts'
import { measuredRuntime } from '../metrics/measured-runtime.ts'
import type { NodePartDeps } from './node-part-deps.ts'
import type { NodePlacing } from './node-places.ts'

export interface SimulatedNode extends NodeIdentity {
  readonly runtime: SimulatedRuntime
  readonly probeCounts: ProbeCounts
}

/** A node and its runtime, without an agent. */
export function createSimulatedNode(
  { name, ip, podCidrs, podSubnets }: NodePlacing,
  shape: NodeShape | undefined,
  deps: NodePartDeps,
): SimulatedNode {
  const { clock, random, topology } = deps
  const nodeFacts = {
    name,
    ip,
    podSubnets,
    alive: (address: string): boolean => simulated.hasAddress(address),
    wake: (address: string): Promise<boolean> => simulated.wake(address),
  }
  const programs = deps.programs?.node(nodeFacts, kubeletFolders(deps.devices?.folder(name)))
  const simulated: SimulatedRuntime = createSimulatedRuntime({
    clock,
    random,
    podSubnets,
    ...(deps.script && { script: deps.script }),
    ...(programs && { programs }),
    ...(deps.podNetworks && { networkFault: deps.podNetworks.fault }),
    ...(topology && { logLimits: topology.kubelet.logLimits }),
  })
  const ids = { machineId: random.uuid(), bootId: random.uuid() }
  return {
    probeCounts: new ProbeCounts(),
    name,
    ip,
    machine: machineOf(topology?.machine ?? DEFAULT_MACHINE, shape),
    ...(shape?.labels && { labels: shape.labels }),
    ...(shape?.taints && { taints: shape.taints }),
    runtime: deps.figures === undefined ? simulated : measuredRuntime(simulated, deps.figures, clock),
    ids,
    // The runtime's containers survive a restart of this process, so the machine's ids do too.
    takeUp: (known) => void Object.assign(ids, known),
    podCidrs,
  }
}

/** The same node with another shape, after it was removed and added again. */
export const reshaped = (node: SimulatedNode, shape: NodeShape | undefined, { topology }: NodePartDeps): SimulatedNode => ({
  ...node,
  machine: machineOf(topology?.machine ?? DEFAULT_MACHINE, shape),
})

/** The node as its kubelet's server needs it. `feed`: undefined before the nodes run. */
export function kubeletHostOf(
  { name, machine, ids, runtime, probeCounts }: SimulatedNode,
  feed: () => SharedFeed | undefined,
  { agents, volumesClient }: Pick<NodePartDeps, 'agents' | 'volumesClient'>,
): KubeletHost {
  return {
    nodeName: name,
    machine,
    ids,
    runtime,
    pods: () => feed()?.podsOf(name) ?? [],
    logs: (pod, container, query, signal) => openLog({ pod, container, query }, runtime, signal),
    probes: () => probeCounts.all(),
    alive: () => feed() !== undefined,
    families: () => agents.get(name)?.families() ?? [],
    async claimCapacity(namespace, claim, signal) {
      const found = await volumesClient.get({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name: claim }, { signal }).catch(ignoring())
      const storage = found?.status?.capacity?.storage
      return storage === undefined ? undefined : quantityValue(storage)
    },
  }
}

/** The kubelet's folders in which programs of this machine find it, by its own paths. */
function kubeletFolders(folder: string | undefined): ReadonlyMap<string, string> {
  if (folder === undefined) return new Map()
  const { plugins, registry, podResources } = deviceFolders(folder)
  const root = '/var/lib/kubelet'
  return new Map([
    [`${root}/device-plugins`, plugins],
    [`${root}/plugins_registry`, registry],
    [`${root}/pod-resources`, podResources],
  ])
}
