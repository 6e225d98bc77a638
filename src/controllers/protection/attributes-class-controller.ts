import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTRIBUTES_CLASSES } from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import { defineController } from '../frame/define-controller.ts'
import { attributesClassesOf, CLASS_FINALIZER } from './plan.ts'
import { protect } from './protect.ts'

/** Protects classes of volume attributes from deletion until no claim and no volume names them. */
export const createController = defineController({
  name: 'attributes-class-protection',
  for: VOLUME_ATTRIBUTES_CLASSES,
  deps: ({ client, informers }) => ({
    client,
    claims: informers.of(PERSISTENT_VOLUME_CLAIMS),
    volumes: informers.of(PERSISTENT_VOLUMES),
  }),
  watch({ claims, volumes }, keys) {
    const released = (object: PersistentVolumeClaim | PersistentVolume) => {
      for (const name of attributesClassesOf(object)) keys.add(name)
    }
    claims.addHandler({ updated: (_, old) => released(old), deleted: released })
    volumes.addHandler({ updated: (_, old) => released(old), deleted: released })
  },
  async reconcile({ client, claims, volumes }, attributesClass) {
    const { name = '' } = attributesClass.metadata
    const inUse = [...claims.list(), ...volumes.list()].some((o) => attributesClassesOf(o).includes(name))
    await protect(client, VOLUME_ATTRIBUTES_CLASSES, attributesClass, { finalizer: CLASS_FINALIZER, inUse })
  },
})
