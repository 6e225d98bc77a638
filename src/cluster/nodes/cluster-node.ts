import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import { changeDevice, type DeviceVerb } from '../../node/allocation/devices/described/change-device.ts'
import { NODES } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'

/**
 * Described devices of a node, by their full names: `example.com/dongle-0`. Each call resolves when the change is written; the node
 * follows.
 */
export interface NodeDeviceControls {
  /** Makes it unhealthy: it counts for capacity, but is not allocated. */
  fail(device: string): Promise<void>
  /** Makes it healthy, overriding its description. */
  recover(device: string): Promise<void>
  /** Adds it. */
  add(device: string): Promise<void>
  /** Removes it. */
  remove(device: string): Promise<void>
}

/** A node of a running cluster. */
export interface ClusterNode {
  readonly name: string
  readonly devices: NodeDeviceControls
  /**
   * Cuts the link to the API server: its pods keep running, but their statuses are not reported. Resolves when it is written; `recover`
   * ends it.
   * As `kubectl annotate node NAME simulated.bowsprit.dev/unreachable=true`.
   */
  lose(): Promise<void>
  /** Restores the link; the node gets the changes of its pods that it missed. */
  recover(): Promise<void>
}

export function clusterNode(name: string, client: Client): ClusterNode {
  const change = (verb: DeviceVerb) => (device: string) => changeDevice(client, name, verb, device)
  const cut = async (value: string | null) => {
    await client.patch({ ...NODES, name }, 'merge', { metadata: { annotations: { [simulatedKey('unreachable')]: value } } })
  }
  return {
    name,
    devices: { fail: change('fail'), recover: change('recover'), add: change('add'), remove: change('remove') },
    lose: () => cut('true'),
    recover: () => cut(null),
  }
}
