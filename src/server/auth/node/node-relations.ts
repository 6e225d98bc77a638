import type { WatchCache } from '../../../apiserver/cache/watch-cache.ts'
import { type Keeper, kept } from '../../../machinery/kept.ts'
import { isObject } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { listObjects, onChangeOf, readObject } from '../../../resources/read-objects.ts'
import { PERSISTENT_VOLUMES, PODS, RESOURCE_SLICES, VOLUME_ATTACHMENTS } from '../../../resources/refs.ts'
import type { PersistentVolume, Pod, PodSpec, SecretReference, Volume } from '../../../resources/types/core.ts'

/** The pods of each node. */
export interface NodeRelations {
  podsOf(node: string): Iterable<Pod>
}

/** An index of pods by node. It is built on first use, so that a cluster without the Node authorizer does not pay for it. */
export function createNodeRelations(feed: Pick<WatchCache, 'reader' | 'onChange'>): NodeRelations {
  let index: Map<string, Map<string, Keeper<Pod>>> | undefined
  const build = () => {
    const byNode = new Map<string, Map<string, Keeper<Pod>>>()
    const keyOf = (pod: Pod) => `${pod.metadata.namespace}/${pod.metadata.name}`
    const change = (pod: Pod | undefined, old: Pod | undefined) => {
      if (old?.spec.nodeName && old.spec.nodeName !== pod?.spec.nodeName) byNode.get(old.spec.nodeName)?.delete(keyOf(old))
      if (!pod?.spec.nodeName) return
      let pods = byNode.get(pod.spec.nodeName)
      if (pods === undefined) {
        pods = new Map()
        byNode.set(pod.spec.nodeName, pods)
      }
      pods.set(keyOf(pod), kept(pod))
    }
    for (const pod of listObjects(feed.reader, PODS)) change(pod, undefined)
    onChangeOf(feed, PODS, change)
    return byNode
  }
  return {
    *podsOf(node) {
      index ??= build()
      for (const keeper of index.get(node)?.values() ?? []) yield keeper.object
    },
  }
}

const MIRROR = 'kubernetes.io/config.mirror'

/** Whether a pod of the node needs this object. */
export function relatedTo(
  relations: NodeRelations,
  reader: Reader,
  node: string,
  resource: string,
  namespace: string,
  name: string,
): boolean {
  if (resource === 'volumeattachments') return readObject(reader, VOLUME_ATTACHMENTS, '', name)?.spec.nodeName === node
  if (resource === 'resourceslices') return readObject(reader, RESOURCE_SLICES, '', name)?.spec.nodeName === node
  const claimed = (volume: PersistentVolume | undefined): boolean => {
    const claim = volume?.spec?.claimRef
    return claim !== undefined && relatedTo(relations, reader, node, 'persistentvolumeclaims', claim.namespace ?? '', claim.name ?? '')
  }
  if (resource === 'persistentvolumes') return claimed(readObject(reader, PERSISTENT_VOLUMES, '', name))
  for (const pod of relations.podsOf(node)) {
    if (pod.metadata.namespace !== namespace) continue
    if (resource === 'pods' ? pod.metadata.name === name : pod.metadata.annotations?.[MIRROR] === undefined && needs(pod, resource, name))
      return true
  }
  if (resource !== 'secrets') return false
  // A volume grants the secrets that the kubelet needs for it.
  for (const volume of listObjects(reader, PERSISTENT_VOLUMES)) if (secretsOf(volume, namespace).has(name) && claimed(volume)) return true
  return false
}

function needs(pod: Pod, resource: string, name: string): boolean {
  if (resource === 'serviceaccounts') return pod.spec?.serviceAccountName === name
  if (resource === 'resourceclaims') return claimNames(pod).has(name)
  if (resource === 'persistentvolumeclaims') return volumeClaimNames(pod).has(name)
  return refers(pod.spec, resource === 'secrets' ? 'secret' : 'configMap', name)
}

function volumeClaimNames(pod: Pod): Set<string> {
  const names = new Set<string>()
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.persistentVolumeClaim) names.add(volume.persistentVolumeClaim.claimName)
    if (volume.ephemeral) names.add(`${pod.metadata.name}-${volume.name}`)
  }
  return names
}

function claimNames(pod: Pod): Set<string> {
  const names = new Set<string>()
  for (const claim of pod.spec?.resourceClaims ?? []) if (claim.resourceClaimName) names.add(claim.resourceClaimName)
  for (const status of pod.status?.resourceClaimStatuses ?? []) if (status.resourceClaimName) names.add(status.resourceClaimName)
  if (pod.status?.extendedResourceClaimStatus?.resourceClaimName) names.add(pod.status.extendedResourceClaimStatus.resourceClaimName)
  return names
}

/** Whether the pod's spec refers to this secret or config map. */
function refers(spec: PodSpec | undefined, kind: 'secret' | 'configMap', name: string): boolean {
  if (kind === 'secret' && (spec?.imagePullSecrets ?? []).some((s) => s.name === name)) return true
  for (const list of [spec?.containers, spec?.initContainers, spec?.ephemeralContainers]) {
    for (const container of list ?? []) {
      for (const env of container.env ?? []) if (env.valueFrom?.[`${kind}KeyRef`]?.name === name) return true
      for (const from of container.envFrom ?? []) if (from[`${kind}Ref`]?.name === name) return true
    }
  }
  return (spec?.volumes ?? []).some((volume) => volumeRefers(volume, kind, name))
}

function volumeRefers(volume: Volume, kind: 'secret' | 'configMap', name: string): boolean {
  if (kind === 'configMap' && volume.configMap?.name === name) return true
  if (kind === 'secret') {
    if (volume.secret?.secretName === name) return true
    // azureFile, cephfs, cinder, csi, flexVolume, iscsi, rbd, scaleIO, storageos
    for (const source of Object.values(volume)) {
      if (typeof source !== 'object' || source === null) continue
      if (volume.azureFile === source && source.secretName === name) return true
      if (source.secretRef?.name === name || source.nodePublishSecretRef?.name === name) return true
    }
  }
  return (volume.projected?.sources ?? []).some((source) => source[kind]?.name === name)
}

const SECRET_REFS = ['secretRef', 'nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'] as const

/** The fields by which volume sources refer to secrets (`azureFile` has the last two). */
type SecretSource = { readonly [field in (typeof SECRET_REFS)[number]]?: SecretReference } & {
  readonly secretName?: string
  readonly secretNamespace?: string
}

const namesSecrets = (source: unknown): source is SecretSource => isObject(source)

function secretsOf(volume: PersistentVolume | undefined, namespace: string): Set<string> {
  const names = new Set<string>()
  const claimNamespace = volume?.spec?.claimRef?.namespace
  const sources: readonly unknown[] = Object.values(volume?.spec ?? {})
  for (const source of sources) {
    if (!namesSecrets(source)) continue
    for (const field of SECRET_REFS) {
      const ref = source[field]
      if (ref?.name && (ref.namespace ?? claimNamespace) === namespace) names.add(ref.name)
    }
    if (typeof source.secretName === 'string' && (source.secretNamespace ?? claimNamespace) === namespace) names.add(source.secretName)
  }
  return names
}
