/** redis rdoptwo-290: of resources that are set without memory, the memory is read, and the operator crashes for ever. */
import { CONFIG_MAPS } from '../../../../src/resources/refs.ts'
import type { ConfigMap, ResourceRequirements } from '../../../../src/resources/types/core.ts'
import { ownedBy, standIn } from '../stand-in.ts'

export const resourcesCrash = (mended: boolean) =>
  standIn([CONFIG_MAPS], async ({ database, client, panic }) => {
    const { namespace = '', name = '' } = database.metadata
    const resources = database.spec?.resources as ResourceRequirements | undefined
    const memory = resources?.requests?.memory
    // The mistake: whoever sets resources is taken to set memory.
    if (!mended && resources !== undefined && memory === undefined)
      return panic(new TypeError('invalid memory address or nil pointer dereference'))
    const map: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: ownedBy(database) },
      data: { maxmemory: memory ?? '0' },
    }
    await client.patch({ ...CONFIG_MAPS, namespace, name }, 'apply', map, { fieldManager: 'databases', force: true })
  })
