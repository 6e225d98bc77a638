import { createHash } from 'node:crypto'
import { semanticEqual } from '../../machinery/equal.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { CSI_DRIVERS, CSI_NODES, CSI_STORAGE_CAPACITIES, NODES, STORAGE_CLASSES } from '../../resources/refs.ts'
import type { Node } from '../../resources/types/core.ts'
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from '../../resources/types/storage.ts'
import type { Client } from '../../sdk/client/client.ts'
import { CSI_CONTROLLER, GetCapacityRequest } from '../../sdk/csi/controller-service.ts'
import type { Topology } from '../../sdk/csi/volume.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { CreateController } from '../frame/controller.ts'
import { defineController } from '../frame/define-controller.ts'
import { createObject, targetOf } from '../frame/objects.ts'
import { ownParameters } from './class-parameters.ts'
import type { DriverClient } from './driver-client.ts'
import { placesOf } from './topology.ts'

/** Where the objects are; the scheduler reads those of all namespaces. */
const NAMESPACE = 'kube-system'
/** As external-provisioner's `--capacity-poll-interval`. */
const POLL_MS = 60_000
const DRIVER_LABEL = 'csi.storage.k8s.io/drivername'
const MANAGER_LABEL = 'csi.storage.k8s.io/managed-by'
const MANAGER = 'bowsprit-csi'

/**
 * Says how much room there is for new volumes, by class and place: for schedulers, which heed it if the CSIDriver has `storageCapacity`.
 */
export const capacityController = (driver: DriverClient): CreateController =>
  defineController({
    name: `csi ${driver.name} (capacity)`,
    for: STORAGE_CLASSES,
    deps: ({ client, informers }) => ({
      client,
      driver,
      csiDrivers: informers.of(CSI_DRIVERS),
      csiNodes: informers.of(CSI_NODES),
      nodes: informers.of(NODES),
      capacities: informers.of(CSI_STORAGE_CAPACITIES),
    }),
    when: ({ provisioner }) => provisioner === driver.name,
    watch({ csiDrivers, csiNodes, capacities }, keys, classes) {
      const again = () => {
        for (const one of classes.list()) if (one.provisioner === driver.name) keys.add(objectKey(one))
      }
      csiDrivers.addHandler({ added: again, updated: again, deleted: again })
      csiNodes.addHandler({ added: again, updated: again, deleted: again })
      capacities.addHandler({ deleted: again })
    },
    async reconcile(deps, storageClass) {
      if (deps.csiDrivers.get(driver.name)?.spec?.storageCapacity !== true) {
        await removeOthers(deps, storageClass.metadata.name ?? '', new Set())
        return undefined
      }
      await reconcileCapacities(deps, storageClass)
      return { requeueAfterMs: POLL_MS }
    },
    gone: (deps, name) => removeOthers(deps, name, new Set()),
  })

export interface CapacityDeps {
  readonly client: Client
  readonly driver: DriverClient
  readonly csiDrivers: Informer<CSIDriver>
  readonly csiNodes: Informer<CSINode>
  readonly nodes: Informer<Node>
  readonly capacities: Informer<CSIStorageCapacity>
}

/** Writes one object for each place of the class, and removes those of places that are gone. */
export async function reconcileCapacities(deps: CapacityDeps, storageClass: StorageClass): Promise<void> {
  const { client, driver, csiNodes, nodes, capacities } = deps
  const { name = '' } = storageClass.metadata
  const found = placesOf({ driver: driver.name, csiNodes: csiNodes.list(), node: (one) => nodes.get(one) })
  const places = driver.topology ? found : [undefined]
  const parameters = new Map(Object.entries(ownParameters(storageClass.parameters ?? {})))
  const kept = new Set<string>()
  for (const accessibleTopology of places) {
    const request = GetCapacityRequest.of({ parameters, accessibleTopology })
    const { availableCapacity, maximumVolumeSize } = await driver.call(CSI_CONTROLLER.capacity, request)
    const wanted = capacityOf(
      { driver: driver.name, storageClass: name, place: accessibleTopology },
      availableCapacity,
      maximumVolumeSize?.value,
    )
    const before = capacities.get(objectKey(wanted))
    kept.add(wanted.metadata.name ?? '')
    if (before === undefined) await createObject(client, CSI_STORAGE_CAPACITIES, wanted).catch(ignoring('AlreadyExists'))
    else if (!semanticEqual(amountsOf(before), amountsOf(wanted)))
      await client.update(targetOf(CSI_STORAGE_CAPACITIES, before), { ...before, ...amountsOf(wanted) })
  }
  await removeOthers(deps, name, kept)
}

async function removeOthers({ client, driver, capacities }: CapacityDeps, storageClass: string, kept: ReadonlySet<string>): Promise<void> {
  for (const one of capacities.list(NAMESPACE)) {
    const { labels = {}, name = '' } = one.metadata
    const isOwn = labels[DRIVER_LABEL] === driver.name && labels[MANAGER_LABEL] === MANAGER && one.storageClassName === storageClass
    if (isOwn && !kept.has(name)) await client.delete(targetOf(CSI_STORAGE_CAPACITIES, one)).catch(ignoring('NotFound'))
  }
}

interface CapacityOf {
  readonly driver: string
  readonly storageClass: string
  /** undefined: all nodes reach all volumes. */
  readonly place: Topology | undefined
}

/** Of one name for a class and place, so that a later process finds it. Pure. */
export function capacityOf({ driver, storageClass, place }: CapacityOf, bytes: number, mostBytes: number | undefined): CSIStorageCapacity {
  const segments = [...(place?.segments ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const hash = createHash('sha256')
    .update(JSON.stringify([driver, storageClass, segments]))
    .digest('hex')
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    metadata: {
      name: `csisc-${hash.slice(0, 20)}`,
      namespace: NAMESPACE,
      labels: { [DRIVER_LABEL]: driver, [MANAGER_LABEL]: MANAGER },
    },
    storageClassName: storageClass,
    // An empty selector is every node.
    nodeTopology: segments.length === 0 ? {} : { matchLabels: Object.fromEntries(segments) },
    capacity: String(bytes),
    ...(mostBytes !== undefined && { maximumVolumeSize: String(mostBytes) }),
  }
}

const amountsOf = ({ capacity, maximumVolumeSize }: CSIStorageCapacity) => ({
  ...(capacity !== undefined && { capacity: String(capacity) }),
  ...(maximumVolumeSize !== undefined && { maximumVolumeSize: String(maximumVolumeSize) }),
})
