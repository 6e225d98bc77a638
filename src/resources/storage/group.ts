import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { csiDrivers, csiNodes, csiStorageCapacities } from './csi.ts'
import { storageClasses } from './storageclasses.ts'
import { volumeAttachments } from './volumeattachments.ts'
import { volumeAttributesClasses } from './volumeattributesclasses.ts'

export const storageResources: readonly ResourceDefinition[] = [
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
]
