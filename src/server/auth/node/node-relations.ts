import type { WatchCache } from '../../../apiserver/cache/watch-cache.ts'
import { type Keeper, kept } from '../../../machinery/kept.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../resources/refs.ts'
import type { PersistentVolume, PodSpec, PodStatus, Volume } from '../../../resources/types/core.ts'

/** Which pods are bound to which node. */
export interface NodeRelations {
  podsOf(node: string): Iterable<KubeObject>
}

/**
 * An index of pods by node. It is built when first asked for, so a cluster whose agents are not restricted to nodes' identities pays
 * nothing.
 */
export function createNodeRelations(feed: Pick<WatchCache, 'reader' | 'onChange'>): NodeRelations {
  let index: Map<string, Map<string, Keeper>> | undefined
  const build = () => {
    const byNode = new Map<string, Map<string, Keeper>>()
    const keyOf = (pod: KubeObject) => `${pod.metadata.namespace}/${pod.metadata.name}`
    const change = (pod: KubeObject | undefined, old: KubeObject | undefined) => {
      if (old?.spec.nodeName && old.spec.nodeName !== pod?.spec.nodeName) byNode.get(old.spec.nodeName)?.delete(keyOf(old))
      if (!pod?.spec.nodeName) return
      let pods = byNode.get(pod.spec.nodeName)
      if (pods === undefined) {
        pods = new Map()
        byNode.set(pod.spec.nodeName, pods)
      }
      pods.set(keyOf(pod), kept(pod))
    }
    for (const pod of feed.reader.list('', 'pods')) change(pod, undefined)
    feed.onChange('', 'pods', change)
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

/** Whether something that is bound to the node needs this object. */
export function relatedTo(
  relations: NodeRelations,
  reader: Reader,
  node: string,
  group: string,
  resource: string,
  namespace: string,
  name: string,
): boolean {
  if (resource === 'volumeattachments') return reader.get(group, resource, '', name)?.spec.nodeName === node
  if (resource === 'resourceslices') return reader.get(group, resource, '', name)?.spec.nodeName === node
  for (const pod of relations.podsOf(node)) {
    if (resource !== 'persistentvolumes' && pod.metadata.namespace !== namespace) continue
    if (
      resource === 'pods'
        ? pod.metadata.name === name
        : pod.metadata.annotations?.[MIRROR] === undefined && needs(pod, reader, resource, name)
    )
      return true
  }
  return false
}

type BoundPod = KubeObject<PodSpec, PodStatus>

function needs(pod: BoundPod, reader: Reader, resource: string, name: string): boolean {
  if (resource === 'serviceaccounts') return pod.spec?.serviceAccountName === name
  if (resource === 'resourceclaims') return claimNames(pod).has(name)
  if (resource === 'persistentvolumeclaims') return volumeClaimNames(pod).has(name)
  const namespace = pod.metadata.namespace ?? ''
  const volumeNames = () =>
    [...volumeClaimNames(pod)].map((claim) => readObject(reader, PERSISTENT_VOLUME_CLAIMS, namespace, claim)?.spec?.volumeName)
  if (resource === 'persistentvolumes') return volumeNames().includes(name)
  const kind = resource === 'secrets' ? 'secret' : 'configMap'
  if (refers(pod.spec, kind, name)) return true
  if (kind !== 'secret') return false
  // A volume that a claim of this pod is bound to may name secrets of the pod's namespace.
  return volumeNames().some(
    (volume) => volume !== undefined && secretsOf(readObject(reader, PERSISTENT_VOLUMES, '', volume), namespace).has(name),
  )
}

function volumeClaimNames(pod: BoundPod): Set<string> {
  const names = new Set<string>()
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.persistentVolumeClaim) names.add(volume.persistentVolumeClaim.claimName)
    if (volume.ephemeral) names.add(`${pod.metadata.name}-${volume.name}`)
  }
  return names
}

function claimNames(pod: BoundPod): Set<string> {
  const names = new Set<string>()
  for (const claim of pod.spec?.resourceClaims ?? []) if (claim.resourceClaimName) names.add(claim.resourceClaimName)
  for (const status of pod.status?.resourceClaimStatuses ?? []) if (status.resourceClaimName) names.add(status.resourceClaimName)
  if (pod.status?.extendedResourceClaimStatus?.resourceClaimName) names.add(pod.status.extendedResourceClaimStatus.resourceClaimName)
  return names
}

/** Whether the pod's spec names this secret or config map anywhere. */
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

function secretsOf(volume: PersistentVolume | undefined, namespace: string): Set<string> {
  const names = new Set<string>()
  const claimNamespace = volume?.spec?.claimRef?.namespace
  for (const source of Object.values((volume?.spec ?? {}) as Record<string, KubeObject>)) {
    if (typeof source !== 'object' || source === null) continue
    for (const field of ['secretRef', 'nodePublishSecretRef', 'nodeStageSecretRef', 'controllerPublishSecretRef', 'nodeExpandSecretRef']) {
      const ref = source[field]
      if (ref?.name && (ref.namespace ?? claimNamespace) === namespace) names.add(ref.name)
    }
    if (typeof source.secretName === 'string' && (source.secretNamespace ?? claimNamespace) === namespace) names.add(source.secretName)
  }
  return names
}
