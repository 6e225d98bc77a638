import type { KubeObject } from '../../machinery/object.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
import { classNameOf, PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER } from '../../resources/core/claim-annotations.ts'
import { DRIVER, SIMULATED } from './default-class.ts'

/** Holds a volume whose storage goes with it until that has gone. */
export const FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer'
const FILE_SYSTEM = 'csi.storage.k8s.io/fstype'
/** The parameter of a class whose volumes stay where they were made: the label that tells places apart. */
export const TOPOLOGY_KEY = 'topologyKey'

export interface ProvisionView {
  readonly claim: KubeObject
  /** The claim's class, where it names one that exists. */
  readonly storageClass: KubeObject | undefined
  /** The node that the scheduler has named in the claim, where it exists. */
  readonly node: KubeObject | undefined
}

export type ProvisionPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'provision'; readonly volume: KubeObject }
  | { readonly kind: 'refuse'; readonly message: string }
  /** The node that was chosen is gone: the scheduler is to choose again. */
  | { readonly kind: 'choose again'; readonly message: string }

export const volumeNameOf = (claim: KubeObject): string => `pvc-${claim.metadata.uid}`

/** Whether the claim waits for a volume of this provisioner. */
export const isAsked = ({ metadata, spec, status }: KubeObject): boolean =>
  metadata.annotations?.[STORAGE_PROVISIONER] === SIMULATED &&
  !spec?.volumeName &&
  metadata.deletionTimestamp === undefined &&
  status?.phase !== 'Bound'

/** The volume that a claim gets, or why it gets none. Pure. */
export function planProvision({ claim, storageClass, node }: ProvisionView): ProvisionPlan {
  if (!isAsked(claim)) return { kind: 'keep' }
  // A class that has gone, or went to somebody else: the claim is not for us (the volume binder tells why).
  if (storageClass?.provisioner !== SIMULATED) return { kind: 'keep' }
  const selected = claim.metadata.annotations?.[SELECTED_NODE]
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && !selected) return { kind: 'keep' }
  const failed = `failed to provision volume with StorageClass "${classNameOf(claim)}": `
  if (selected && node === undefined)
    return { kind: 'choose again', message: `${failed}failed to get target node: nodes "${selected}" not found` }
  const fault = faultOf(claim, storageClass)
  if (fault !== undefined) return { kind: 'refuse', message: `${failed}${fault}` }
  const place = placeOf(storageClass, node)
  if ('fault' in place) return { kind: 'refuse', message: `${failed}${place.fault}` }
  return { kind: 'provision', volume: volumeFor(claim, storageClass, place.affinity) }
}

function faultOf({ spec }: KubeObject, { parameters }: KubeObject): string | undefined {
  if (spec?.selector !== undefined) return 'claim Selector is not supported'
  const source = spec?.dataSource ?? spec?.dataSourceRef
  if (source) return `volumes with content of a ${source.kind} are not simulated`
  const size = tryParseQuantity(spec?.resources?.requests?.storage ?? '')
  if (size === undefined || size.sign() <= 0) return 'the claim asks for no storage'
  const unknown = Object.keys(parameters ?? {}).find((p) => p !== TOPOLOGY_KEY && p !== FILE_SYSTEM)
  return unknown === undefined
    ? undefined
    : `StorageClass parameter ${JSON.stringify(unknown)} is not known; there are ${TOPOLOGY_KEY} and ${FILE_SYSTEM}`
}

interface Expression {
  readonly key: string
  readonly values: readonly string[]
}
type Place = { readonly affinity: object | undefined } | { readonly fault: string }

/** Where the volume can be reached: everywhere, unless the class tells places apart. */
function placeOf({ parameters, allowedTopologies }: KubeObject, node: KubeObject | undefined): Place {
  const terms: readonly (readonly Expression[])[] = (allowedTopologies ?? []).map(
    (t: { matchLabelExpressions?: readonly Expression[] }) => t.matchLabelExpressions ?? [],
  )
  const key: string | undefined = parameters?.[TOPOLOGY_KEY]
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

const anyOf = (terms: readonly (readonly Expression[])[]) => ({
  required: {
    nodeSelectorTerms: terms.map((term) => ({
      matchExpressions: term.map(({ key, values }) => ({ key, operator: 'In', values: [...values] })),
    })),
  },
})

function volumeFor(claim: KubeObject, storageClass: KubeObject, affinity: object | undefined): KubeObject {
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
      accessModes,
      capacity: { storage: resources?.requests?.storage },
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

export type VolumePlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'finalizers'; readonly finalizers: string[] }

/** What becomes of a volume that was made here. Pure. */
export function planVolume({ metadata, spec, status }: KubeObject): VolumePlan {
  if (metadata.annotations?.[PROVISIONED_BY] !== SIMULATED) return { kind: 'keep' }
  const { finalizers = [], deletionTimestamp } = metadata
  const held = finalizers.includes(FINALIZER)
  if (spec?.persistentVolumeReclaimPolicy !== 'Delete')
    return held ? { kind: 'finalizers', finalizers: finalizers.filter((f) => f !== FINALIZER) } : { kind: 'keep' }
  // Nobody ever bound it, and somebody wants it gone: there is no storage of others behind it.
  const unused = deletionTimestamp !== undefined && held && status?.phase !== 'Bound'
  if (status?.phase === 'Released' ? held || deletionTimestamp === undefined : unused) return { kind: 'delete' }
  if (!held && deletionTimestamp === undefined && status?.phase === 'Bound')
    return { kind: 'finalizers', finalizers: [...finalizers, FINALIZER] }
  return { kind: 'keep' }
}
