import { isStatus } from '../../../../machinery/status-error.ts'
import { NODES } from '../../../../resources/refs.ts'
import type { Client } from '../../../../sdk/client/client.ts'
import { changeFate, DEVICES_ANNOTATION, fatesOf, fatesText } from './described-devices.ts'

/** The changes of a described device. */
export type DeviceVerb = 'fail' | 'recover' | 'add' | 'remove'

/** Changes a described device of a node (`example.com/dongle-0`) through the node's annotation, which the node agent follows. */
export async function changeDevice(client: Client, nodeName: string, verb: DeviceVerb, device: string): Promise<void> {
  for (;;) {
    const node = await client.get({ ...NODES, name: nodeName })
    const text = fatesText(changeFate(fatesOf(node), verb, device))
    const { resourceVersion = '' } = node.metadata
    try {
      await client.patch({ ...NODES, name: nodeName }, 'merge', {
        metadata: { resourceVersion, annotations: { [DEVICES_ANNOTATION]: text } },
      })
      return
    } catch (error) {
      if (!isStatus(error, 'Conflict')) throw error
    }
  }
}
