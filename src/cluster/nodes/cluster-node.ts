import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import { changeDevice, type DeviceVerb } from '../../node/allocation/devices/described/change-device.ts'
import { NODES } from '../../resources/refs.ts'
import type { Client } from '../../sdk/client/client.ts'

/** Described devices of a node, by their full names: `example.com/dongle-0`. Each call resolves when it is written; the node follows. */
export interface NodeDeviceControls {
  /** It is unhealthy from now on: counted, and given to nobody. */
  fail(device: string): Promise<void>
  /** It is healthy from now on, whatever its description says. */
  recover(device: string): Promise<void>
  /** It is plugged in. */
  add(device: string): Promise<void>
  /** It is pulled out. */
  remove(device: string): Promise<void>
}

/** A node of a running cluster. */
export interface ClusterNode {
  readonly name: string
  readonly devices: NodeDeviceControls
  /**
   * Cuts it off from the API server: its pods go on, and nobody hears of it. Resolves when it is said; `recover` ends it. As `kubectl
   * annotate node NAME simulated.bowsprit.dev/unreachable=true`.
   */
  lose(): Promise<void>
  /** It is found again, and hears of what has become of its pods. */
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
