import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../../resources/refs.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController, together } from '../frame/define-controller.ts'
import { deleteVolume } from '../volumes/provisioned-volume.ts'
import { resizeClaim } from '../volumes/resize-claim.ts'
import { DRIVER, SIMULATED } from './default-class.ts'
import { isAsked } from './plan.ts'
import { provision } from './provision.ts'

/** Creates and resizes the volumes of claims whose class names the simulated provisioner. */
const createClaimController = defineController({
  name: 'volume-provisioner (claims)',
  for: PERSISTENT_VOLUME_CLAIMS,
  workers: 8,
  deps: ({ client, clock, informers, events }) => ({
    client,
    clock,
    events: events(SIMULATED),
    resizer: events(`external-resizer ${DRIVER}`),
    volumes: informers.of(PERSISTENT_VOLUMES),
    classes: informers.of(STORAGE_CLASSES),
  }),
  watch({ classes }, keys, claims) {
    const classChanged = () => {
      for (const claim of claims.list()) if (isAsked(claim)) keys.add(objectKey(claim))
    }
    classes.addHandler({ added: classChanged, updated: classChanged })
  },
  async reconcile(deps, claim) {
    if (isAsked(claim)) return provision(deps, claim)
    const volume = deps.volumes.get(claim.spec?.volumeName ?? '')
    await resizeClaim(claim, volume, { client: deps.client, events: deps.resizer, nowMs: deps.clock.now(), driver: DRIVER })
    return undefined
  },
})

/** Deletes volumes of the simulated provisioner that are released. */
const createVolumeController = defineController({
  name: 'volume-provisioner (volumes)',
  for: PERSISTENT_VOLUMES,
  workers: 8,
  deps: ({ client }) => ({ client }),
  reconcile: ({ client }, volume) => deleteVolume({ client, provisioner: SIMULATED }, volume),
})

/** Plays the part of a CSI driver: its volumes exist only in this process. */
export const createController = together('volume-provisioner', createClaimController, createVolumeController)
