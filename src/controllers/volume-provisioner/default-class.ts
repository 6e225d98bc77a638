import { ignoring } from '../../machinery/ignoring.ts'
import { CSI_DRIVERS, STORAGE_CLASSES } from '../../resources/refs.ts'
import type { CSIDriver, StorageClass } from '../../resources/types/storage.ts'
import { runListedController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { createObject } from '../frame/objects.ts'

/** The provisioner of volumes that exist only in this process. */
export const SIMULATED = 'bowsprit.dev/simulated'
/** Its driver: the name of a driver is a domain name, without a slash. */
export const DRIVER = 'simulated.bowsprit.dev'

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class'

/** Its volumes are mounted without being attached. */
const driver: CSIDriver = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: DRIVER },
  spec: { attachRequired: false, podInfoOnMount: false, volumeLifecycleModes: ['Persistent'] },
}

/** The class `standard`; it is the default class unless another is. Pure. */
export function standardClass(existing: readonly StorageClass[]): StorageClass {
  const hasDefault = existing.some((c) => c.metadata.annotations?.[IS_DEFAULT] === 'true')
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'standard', ...(!hasDefault && { annotations: { [IS_DEFAULT]: 'true' } }) },
    provisioner: SIMULATED,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  }
}

/** Creates the default class and its driver once, when the controllers start; existing ones are left as they are. */
export function createDefaultClassController({ client, clock, log, activities }: ControllerDeps): Controller {
  const name = 'default-storage-class'
  const queue = new WorkQueue({ clock })
  queue.add('standard')
  const reconcile = async () => {
    const existing = (await client.list<StorageClass>(STORAGE_CLASSES)).items
    if (existing.some((c) => c.metadata.name === 'standard')) return
    await createObject(client, CSI_DRIVERS, driver).catch(ignoring('AlreadyExists'))
    await createObject(client, STORAGE_CLASSES, standardClass(existing)).catch(ignoring('AlreadyExists'))
  }
  return { name, run: (signal) => runListedController({ name, queue, reconcile, log, activities }, signal) }
}
