import { messageOf } from '../../base/message-of.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { Quantity, tryParseQuantity } from '../../machinery/quantity.ts'
import { classNameOf, PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER } from '../../resources/core/claim-annotations.ts'
import { PERSISTENT_VOLUMES, SECRETS } from '../../resources/refs.ts'
import type { Node, PersistentVolume, PersistentVolumeClaim, SecretReference } from '../../resources/types/core.ts'
import type { CSINode, StorageClass } from '../../resources/types/storage.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import { capabilityOf } from '../../sdk/csi/capability-of.ts'
import { type CreatedVolume, CreateVolumeRequest, CSI_CONTROLLER } from '../../sdk/csi/controller-service.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { createObject } from '../frame/objects.ts'
import { FINALIZER, volumeNameOf } from '../volumes/provisioned-volume.ts'
import { type ClassParameters, classParameters, objectParameters } from './class-parameters.ts'
import { type DriverClient, singleNodeMultiWriter } from './driver-client.ts'
import { affinityOf, topologyRequirement } from './topology.ts'

export interface ProvisionDeps {
  readonly client: Client
  readonly driver: DriverClient
  readonly events: ObjectEvents
  readonly volumes: Informer<PersistentVolume>
  readonly classes: Informer<StorageClass>
  readonly csiNodes: Informer<CSINode>
  readonly nodes: Informer<Node>
}

/** After a refusal that another attempt would meet, too. */
const INFEASIBLE: ReadonlySet<string> = new Set(['InvalidArgument', 'OutOfRange', 'NotFound'])
const INFEASIBLE_RETRY_MS = 300_000

/** Whether a claim waits for a volume of the driver. Pure. */
export const isAsked = ({ metadata, spec }: PersistentVolumeClaim, driver: string): boolean =>
  metadata.annotations?.[STORAGE_PROVISIONER] === driver && !spec?.volumeName && metadata.deletionTimestamp === undefined

/** Makes the volume of a claim. Rejects with the driver's error, and is called again then. */
export async function provision(deps: ProvisionDeps, claim: PersistentVolumeClaim): Promise<ReconcileResult> {
  const { driver, events, volumes, classes } = deps
  const { namespace = '', name = '', annotations = {} } = claim.metadata
  const storageClass = classes.get(classNameOf(claim))
  if (storageClass?.provisioner !== driver.name || volumes.get(volumeNameOf(claim)) !== undefined) return undefined
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && !annotations[SELECTED_NODE]) return undefined
  const source = claim.spec?.dataSourceRef ?? claim.spec?.dataSource
  if (source !== undefined) {
    // An empty volume would look like a restored one.
    const what = `${source.kind} "${source.name}"`
    events.warning(
      claim,
      'ProvisioningFailed',
      `the claim is to be filled from ${what}: bowsprit csi does not make volumes from snapshots or claims`,
    )
    return { requeueAfterMs: INFEASIBLE_RETRY_MS }
  }
  events.normal(claim, 'Provisioning', `External provisioner is provisioning volume for claim "${namespace}/${name}"`)
  try {
    await make(deps, claim, storageClass)
  } catch (error) {
    const message = messageOf(error)
    if (!(error instanceof GrpcError && INFEASIBLE.has(error.code))) {
      events.warning(claim, 'ProvisioningFailed', message)
      throw error
    }
    const infeasible = 'Volume provisioning failed with infeasible error. Retries will be delayed.'
    events.warning(claim, 'ProvisioningFailed', `${infeasible} ${message}`)
    return { requeueAfterMs: INFEASIBLE_RETRY_MS }
  }
  events.normal(claim, 'ProvisioningSucceeded', `Successfully provisioned volume ${volumeNameOf(claim)}`)
  return undefined
}

async function make(deps: ProvisionDeps, claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<void> {
  const { driver, client, csiNodes, nodes } = deps
  const volumeName = volumeNameOf(claim)
  const parameters = classParameters(storageClass.parameters ?? {}, claim, volumeName)
  const selected = claim.metadata.annotations?.[SELECTED_NODE]
  const view = { driver: driver.name, csiNodes: csiNodes.list(), node: (node: string) => nodes.get(node), selected }
  const required = driver.topology ? topologyRequirement(view) : undefined
  if (driver.topology && required === undefined) throw new Error('error generating accessibility requirements: no available topology found')
  const request = CreateVolumeRequest.of({
    name: volumeName,
    capacityRange: { requiredBytes: bytesOf(claim), limitBytes: 0 },
    volumeCapabilities: [capabilityOf(useOf(claim, storageClass, parameters), singleNodeMultiWriter(driver))],
    parameters: new Map(Object.entries({ ...parameters.own, ...objectParameters(claim, volumeName) })),
    secrets: await secretOf(client, parameters.secret('provisioner')),
    accessibilityRequirements: required,
  })
  const { volume } = await driver.call(CSI_CONTROLLER.create, request)
  if (volume === undefined) throw new Error(`driver ${driver.name} has made no volume`)
  const object = volumeOf({ claim, storageClass, parameters, driver }, volume)
  await createObject(client, PERSISTENT_VOLUMES, object).catch(ignoring('AlreadyExists'))
}

const bytesOf = ({ spec }: PersistentVolumeClaim) => tryParseQuantity(String(spec?.resources?.requests?.storage ?? ''))?.value() ?? 0

const useOf = ({ spec }: PersistentVolumeClaim, { mountOptions = [] }: StorageClass, { fsType = '' }: ClassParameters) => ({
  block: spec?.volumeMode === 'Block',
  fsType,
  mountOptions,
  accessModes: spec?.accessModes ?? [],
})

export async function secretOf(client: Client, secret: SecretReference | undefined): Promise<ReadonlyMap<string, string>> {
  const { name, namespace } = secret ?? {}
  if (name === undefined || namespace === undefined) return new Map()
  const { data = {} } = await client.get({ ...SECRETS, namespace, name })
  return new Map(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]))
}

interface VolumeInput {
  readonly claim: PersistentVolumeClaim
  readonly storageClass: StorageClass
  readonly parameters: ClassParameters
  readonly driver: DriverClient
}

const DELETION_SECRET = 'volume.kubernetes.io/provisioner-deletion-secret'
const IDENTITY = 'storage.kubernetes.io/csiProvisionerIdentity'

/** Pure. */
function volumeOf({ claim, storageClass, parameters, driver }: VolumeInput, made: CreatedVolume): PersistentVolume {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  const { reclaimPolicy = 'Delete', mountOptions } = storageClass
  const { accessModes = [], volumeMode = 'Filesystem' } = claim.spec ?? {}
  const { fsType, secret } = parameters
  const deletion = secret('provisioner')
  const refs = {
    controllerPublishSecretRef: secret('controller-publish'),
    nodeStageSecretRef: secret('node-stage'),
    nodePublishSecretRef: secret('node-publish'),
    controllerExpandSecretRef: secret('controller-expand'),
    nodeExpandSecretRef: secret('node-expand'),
  }
  const affinity = affinityOf(made.accessibleTopology)
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: volumeNameOf(claim),
      annotations: {
        [PROVISIONED_BY]: driver.name,
        [`${DELETION_SECRET}-name`]: deletion?.name ?? '',
        [`${DELETION_SECRET}-namespace`]: deletion?.namespace ?? '',
      },
      ...(reclaimPolicy === 'Delete' && { finalizers: [FINALIZER] }),
    },
    spec: {
      accessModes,
      capacity: { storage: Quantity.of(made.capacityBytes || bytesOf(claim), 'BinarySI').toString() },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      csi: {
        driver: driver.name,
        volumeHandle: made.volumeId,
        volumeAttributes: { ...Object.fromEntries(made.volumeContext), [IDENTITY]: driver.identity },
        ...(fsType !== undefined && volumeMode !== 'Block' && { fsType }),
        ...Object.fromEntries(Object.entries(refs).filter(([, ref]) => ref !== undefined)),
      },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: classNameOf(claim),
      volumeMode,
      ...(mountOptions && { mountOptions }),
      ...(affinity && { nodeAffinity: affinity }),
    },
  }
}

/** The secret that a volume is deleted with. */
export function deletionSecret({ metadata: { annotations = {} } }: PersistentVolume): SecretReference | undefined {
  const [name, namespace] = [annotations[`${DELETION_SECRET}-name`], annotations[`${DELETION_SECRET}-namespace`]]
  return name && namespace ? { name, namespace } : undefined
}
