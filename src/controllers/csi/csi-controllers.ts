import {
  CSI_NODES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
} from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import { CONTROLLER_CAPABILITY, ControllerExpandVolumeRequest, CSI_CONTROLLER } from '../../sdk/csi/controller-service.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { CreateController } from '../frame/controller.ts'
import { defineController } from '../frame/define-controller.ts'
import { deleteVolume } from '../volumes/provisioned-volume.ts'
import { resizeClaim } from '../volumes/resize-claim.ts'
import { reconcileAttachment, releaseVolume } from './attach.ts'
import { capacityController } from './capacity.ts'
import type { DriverClient } from './driver-client.ts'
import { deletionSecret, isAsked, provision, secretOf } from './provision.ts'

const RETRY = { firstMs: 500, maxMs: 300_000 } as const

/** What the public sidecars of a CSI driver do: volumes for claims, attachments, growth. For the volumes of one driver. */
export const csiControllers = (driver: DriverClient): readonly CreateController[] => [
  ...(driver.can.has(CONTROLLER_CAPABILITY.createDeleteVolume) ? [claimController(driver), volumeController(driver)] : []),
  attachmentController(driver),
  ...(driver.can.has(CONTROLLER_CAPABILITY.getCapacity) ? [capacityController(driver)] : []),
  ...(driver.can.has(CONTROLLER_CAPABILITY.expandVolume) ? [resizeController(driver)] : []),
]

const claimController = (driver: DriverClient) =>
  defineController({
    name: `csi ${driver.name} (claims)`,
    for: PERSISTENT_VOLUME_CLAIMS,
    workers: 8,
    retry: RETRY,
    deps: ({ client, informers, events }) => ({
      client,
      driver,
      events: events(driver.name),
      volumes: informers.of(PERSISTENT_VOLUMES),
      classes: informers.of(STORAGE_CLASSES),
      csiNodes: informers.of(CSI_NODES),
      nodes: informers.of(NODES),
    }),
    watch({ classes, csiNodes }, keys, claims) {
      const again = () => {
        for (const claim of claims.list()) if (isAsked(claim, driver.name)) keys.add(objectKey(claim))
      }
      classes.addHandler({ added: again })
      csiNodes.addHandler({ added: again, updated: again })
    },
    when: (claim) => isAsked(claim, driver.name),
    reconcile: (deps, claim) => (isAsked(claim, driver.name) ? provision(deps, claim) : Promise.resolve(undefined)),
  })

const volumeController = (driver: DriverClient) =>
  defineController({
    name: `csi ${driver.name} (volumes)`,
    for: PERSISTENT_VOLUMES,
    workers: 8,
    retry: RETRY,
    deps: ({ client, informers }) => ({ client, driver, attachments: informers.of(VOLUME_ATTACHMENTS) }),
    watch({ attachments }, keys) {
      attachments.addHandler({ deleted: ({ spec }) => keys.add(spec.source.persistentVolumeName ?? '') })
    },
    async reconcile({ client, attachments }, volume) {
      if (volume.spec?.csi?.driver !== driver.name) return
      const attached = attachments.list().some(({ spec }) => spec.source.persistentVolumeName === volume.metadata.name)
      const remove = async ({ spec }: PersistentVolume) => {
        const secrets = await secretOf(client, deletionSecret(volume))
        await driver.call(CSI_CONTROLLER.delete, { volumeId: spec?.csi?.volumeHandle ?? '', secrets })
      }
      if (!attached) await deleteVolume({ client, provisioner: driver.name, remove }, volume)
      await releaseVolume({ client, driver, attachments }, volume)
    },
  })

const attachmentController = (driver: DriverClient) =>
  defineController({
    name: `csi ${driver.name} (attachments)`,
    for: VOLUME_ATTACHMENTS,
    workers: 8,
    retry: RETRY,
    deps: ({ client, clock, informers }) => ({
      client,
      clock,
      driver,
      volumes: informers.of(PERSISTENT_VOLUMES),
      csiNodes: informers.of(CSI_NODES),
    }),
    reconcile: ({ clock, ...deps }, attachment) => reconcileAttachment({ ...deps, nowMs: clock.now() }, attachment),
  })

const resizeController = (driver: DriverClient) =>
  defineController({
    name: `csi ${driver.name} (sizes)`,
    for: PERSISTENT_VOLUME_CLAIMS,
    workers: 4,
    retry: RETRY,
    deps: ({ client, clock, informers, events }) => ({
      client,
      clock,
      events: events(`external-resizer ${driver.name}`),
      volumes: informers.of(PERSISTENT_VOLUMES),
    }),
    async reconcile({ client, clock, events, volumes }, claim: PersistentVolumeClaim) {
      const expand = async ({ spec }: PersistentVolume, bytes: number) => {
        const { csi } = spec ?? {}
        const secrets = await secretOf(client, csi?.controllerExpandSecretRef)
        const request = { volumeId: csi?.volumeHandle ?? '', capacityRange: { requiredBytes: bytes, limitBytes: 0 }, secrets }
        return (await driver.call(CSI_CONTROLLER.expand, ControllerExpandVolumeRequest.of(request))).nodeExpansionRequired
      }
      const volume = volumes.get(claim.spec?.volumeName ?? '')
      await resizeClaim(claim, volume, { client, events, nowMs: clock.now(), driver: driver.name, expand })
    },
  })
