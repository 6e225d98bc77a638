import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CSI_DRIVERS, STORAGE_CLASSES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'

/** The provisioner, and the driver, of volumes that exist only here. */
export const SIMULATED = 'bowsprit.dev/simulated'
/** A driver's name is a domain's: it has no slash. */
export const DRIVER = 'simulated.bowsprit.dev'

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'

/** Nothing is attached: whoever mounts a volume has it. */
const driver: KubeObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: DRIVER },
  spec: { attachRequired: false, podInfoOnMount: false, volumeLifecycleModes: ['Persistent'] },
}

/** The class `standard`; the default one unless somebody has chosen another. Pure. */
export function standardClass(standing: readonly KubeObject[]): KubeObject {
  const chosen = standing.some((c) => c.metadata.annotations?.[IS_DEFAULT] === 'true')
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', ...(!chosen && { annotations: { [IS_DEFAULT]: 'true' } }) },
    provisioner: SIMULATED,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  }
}

/** Makes the default class and its driver, once, when the controllers start; what stands is left as it is. */
export function createDefaultClassController({ client, clock, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  queue.add('standard')

  async function reconcile(): Promise<undefined> {
    const standing = (await client.list(STORAGE_CLASSES)).items
    if (standing.some((c) => c.metadata.name === 'standard')) return
    for (const [ref, object] of [
      [CSI_DRIVERS, driver],
      [STORAGE_CLASSES, standardClass(standing)],
    ] as const)
      await client.create(ref, object).catch((error) => {
        if (!isStatus(error, 'AlreadyExists')) throw error
      })
  }

  return queueController({ name: 'default-storage-class', queue, copies: [], reconcile, log })
}
