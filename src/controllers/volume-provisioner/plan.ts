import { tryParseQuantity } from '../../machinery/quantity.ts'
import { classNameOf, PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER } from '../../resources/core/claim-annotations.ts'
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  TopologySelectorLabelRequirement,
  VolumeNodeAffinity,
} from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import { FINALIZER, volumeNameOf } from '../volumes/provisioned-volume.ts'
import { DRIVER, SIMULATED } from './default-class.ts'

const FILE_SYSTEM = 'csi.storage.k8s.io/fstype'
/** The parameter of a class whose volumes are local to a topology: the key of the node label for it. */
export const TOPOLOGY_KEY = 'topologyKey'

export interface ProvisionView {
  readonly claim: PersistentVolumeClaim
  /** The claim's class, if it exists. */
  readonly storageClass: StorageClass | undefined
  /** The node that the scheduler named in the claim, if it exists. */
  readonly node: Node | undefined
}

export type ProvisionPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'provision'; readonly volume: PersistentVolume }
  | { readonly kind: 'refuse'; readonly message: string }
  /** The chosen node is gone: the scheduler has to choose again. */
  | { readonly kind: 'choose again'; readonly message: string }

/** Whether the claim waits for a volume of this provisioner. */
export const isAsked = ({ metadata, spec, status }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[STORAGE_PROVISIONER] === SIMULATED &&
  !spec?.volumeName &&
  metadata.deletionTimestamp === undefined &&
  status?.phase !== 'Bound'

/** The volume that a claim gets, or why it gets none. Pure. */
export function planProvision({ claim, storageClass, node }: ProvisionView): ProvisionPlan {
  if (!isAsked(claim)) return { kind: 'keep' }
  // The class is gone, or has another provisioner: the claim is not for us (the volume binder reports why).
  if (storageClass?.provisioner !== SIMULATED) return { kind: 'keep' }
  const selected = claim.metadata.annotations?.[SELECTED_NODE]
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && !selected) return { kind: 'keep' }
  const failed = `failed to provision volume with StorageClass "${classNameOf(claim)}": `
  if (selected && node === undefined)
    return { kind: 'choose again', message: `${failed}failed to get target node: nodes "${selected}" not found` }
  const fault = faultOf(claim, storageClass)
  if (fault !== undefined) return { kind: 'refuse', message: `${failed}${fault}` }
  const place = reachabilityOf(storageClass, node)
  if ('fault' in place) return { kind: 'refuse', message: `${failed}${place.fault}` }
  return { kind: 'provision', volume: volumeFor(claim, storageClass, place.affinity) }
}

function faultOf({ spec }: PersistentVolumeClaim, { parameters }: StorageClass): string | undefined {
  if (spec?.selector !== undefined) return 'claim Selector is not supported'
  const source = spec?.dataSource ?? spec?.dataSourceRef
  if (source) return `volumes with content of a ${source.kind} are not simulated`
  const size = tryParseQuantity(String(spec?.resources?.requests?.storage ?? ''))
  if (size === undefined || size.sign() <= 0) return 'the claim asks for no storage'
  const unknown = Object.keys(parameters ?? {}).find((p) => p !== TOPOLOGY_KEY && p !== FILE_SYSTEM)
  return unknown === undefined
    ? undefined
    : `StorageClass parameter ${JSON.stringify(unknown)} is not known; there are ${TOPOLOGY_KEY} and ${FILE_SYSTEM}`
}

type Reachability = { readonly affinity: VolumeNodeAffinity | undefined } | { readonly fault: string }

/** The nodes that reach the volume: all, unless the class has topologies. */
function reachabilityOf({ parameters, allowedTopologies }: StorageClass, node: Node | undefined): Reachability {
  const terms = (allowedTopologies ?? []).map((t) => t.matchLabelExpressions ?? [])
  const key = parameters?.[TOPOLOGY_KEY]
  const labels = node?.metadata.labels ?? {}
  if (node === undefined) {
    if (terms.length > 0) return { affinity: anyOf(terms) }
    return key === undefined ? { affinity: undefined } : { fault: `${TOPOLOGY_KEY} needs volumeBindingMode WaitForFirstConsumer` }
  }
  const allowed = terms.length === 0 || terms.some((term) => term.every((e) => e.values.includes(labels[e.key] ?? '')))
  if (!allowed) return { fault: `node "${node.metadata.name}" is in none of the allowed topologies` }
  const keys = [...new Set([...(key === undefined ? [] : [key]), ...terms.flatMap((term) => term.map((e) => e.key))])]
  const missing = keys.find((k) => labels[k] === undefined)
  if (missing !== undefined) return { fault: `node "${node.metadata.name}" has no label "${missing}"` }
  return { affinity: keys.length === 0 ? undefined : anyOf([keys.map((k) => ({ key: k, values: [labels[k] ?? ''] }))]) }
}

const anyOf = (terms: readonly (readonly TopologySelectorLabelRequirement[])[]): VolumeNodeAffinity => ({
  required: {
    nodeSelectorTerms: terms.map((term) => ({
      matchExpressions: term.map(({ key, values }) => ({ key, operator: 'In', values: [...values] })),
    })),
  },
})

function volumeFor(claim: PersistentVolumeClaim, storageClass: StorageClass, affinity: VolumeNodeAffinity | undefined): PersistentVolume {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = claim.metadata
  const { reclaimPolicy = 'Delete', mountOptions, parameters } = storageClass
  const { accessModes, volumeMode = 'Filesystem', resources, volumeAttributesClassName } = claim.spec ?? {}
  const volumeName = volumeNameOf(claim)
  const fsType = volumeMode === 'Block' ? undefined : (parameters?.[FILE_SYSTEM] ?? 'ext4')
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: volumeName,
      annotations: { [PROVISIONED_BY]: SIMULATED },
      ...(reclaimPolicy === 'Delete' && { finalizers: [FINALIZER] }),
    },
    spec: {
      accessModes: accessModes ?? [],
      capacity: { storage: resources?.requests?.storage ?? '0' },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      csi: { driver: DRIVER, volumeHandle: volumeName, ...(fsType !== undefined && { fsType }) },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: classNameOf(claim),
      volumeMode,
      ...(mountOptions && { mountOptions }),
      ...(affinity && { nodeAffinity: affinity }),
      ...(volumeAttributesClassName && { volumeAttributesClassName }),
    },
  }
}
