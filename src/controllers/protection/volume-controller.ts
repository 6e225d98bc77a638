import { PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { VOLUME_FINALIZER } from './plan.ts'
import { protect } from './protect.ts'

/** Protects volumes from deletion until no claim is bound to them. */
export const createController = defineController({
  name: 'volume-protection',
  for: PERSISTENT_VOLUMES,
  deps: ({ client }) => ({ client }),
  reconcile: ({ client }, volume) =>
    protect(client, PERSISTENT_VOLUMES, volume, { finalizer: VOLUME_FINALIZER, inUse: volume.status?.phase === 'Bound' }),
})
