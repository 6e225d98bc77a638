import { compileMatcher, type LabelSet } from '../../machinery/selectors/label-matcher.ts'
import { SELECTED_NODE } from '../../resources/core/claim-annotations.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { StorageClass } from '../../resources/types/storage.ts'
import { amountOf } from '../cache/amounts.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Listers } from '../framework/listers.ts'
import { nodeSelectorMatcher } from '../framework/node-selector.ts'
import type { PluginFactory, PreBindDeps } from '../framework/plugin.ts'
import { READS_ANEW } from '../framework/prepared.ts'
import { unresolvable, type Verdict } from '../framework/verdict.ts'
import { claimsOf, classOf, type PodClaim, volumeOf } from './pod-claims.ts'

const NAME = 'VolumeBinding'
const IMMEDIATE = unresolvable(NAME, 'pod has unbound immediate PersistentVolumeClaims')
const ELSEWHERE = unresolvable(NAME, "node(s) didn't match PersistentVolume's node affinity")
const NONE_TO_BIND = unresolvable(NAME, "node(s) didn't find available persistent volumes to bind")
const VOLUME_GONE = unresolvable(NAME, 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)')

const NO_PROVISIONER = 'kubernetes.io/no-provisioner'
const BOUND = 'pv.kubernetes.io/bind-completed'
const DEFAULT_TIMEOUT_S = 600

/**
 * Whether the pod's claims have volumes that the node can use, or can get them there. Claims with WaitForFirstConsumer are bound before the
 * pod is.
 */
export const volumeBinding: PluginFactory = (args) => {
  const timeoutMs = (typeof args.bindTimeoutSeconds === 'number' ? args.bindTimeoutSeconds : DEFAULT_TIMEOUT_S) * 1000
  return {
    name: NAME,
    scope: 'cluster',
    filter(pod, { table, listers }) {
      const all = claimsOf(pod, listers)
      if (all.length === 0) return undefined
      const refuse = all.map((claim) => unusable(pod, claim)).find((verdict) => verdict !== undefined)
      if (refuse !== undefined) return { refuse }
      const claims = all.flatMap(({ claim }) => claim ?? [])
      const { bound, waiting, immediate } = sorted(claims, listers)
      if (immediate.length > 0) return { refuse: IMMEDIATE }
      const volumes = bound.map((claim) => volumeOf(claim, listers))
      const gone = volumes.some((volume) => volume === undefined)
      const fitting = volumes.map((volume) => reach(volume))
      return {
        ...READS_ANEW,
        check(row) {
          if (gone) return VOLUME_GONE
          const [labels, name] = [table.labels[row] ?? {}, table.names[row] ?? '']
          if (!fitting.every((fits) => fits(labels, name))) return ELSEWHERE
          return planFor(waiting, labels, name, listers) === undefined ? NONE_TO_BIND : undefined
        },
      }
    },
    preBind(pod, node, deps) {
      const claims = claimsOf(pod, deps.listers).flatMap(({ claim }) => claim ?? [])
      const { waiting } = sorted(claims, deps.listers)
      return waiting.length === 0 ? undefined : bindClaims(waiting, node, deps, timeoutMs)
    },
    hints: {
      'pod-updated': () => true,
      'node-added': () => true,
      'node-updated': () => true,
      'changed/persistentvolumes': () => true,
      'changed/storageclasses': () => true,
      'changed/csinodes': () => true,
      'changed/persistentvolumeclaims': (pod, { object }) => object?.metadata.namespace === pod.namespace,
    },
  }
}

/** A claim with which the pod can go nowhere. */
function unusable(pod: PodInfo, { name, ephemeral, claim }: PodClaim): Verdict | undefined {
  if (claim === undefined) {
    return unresolvable(
      NAME,
      ephemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
        : `persistentvolumeclaim "${name}" not found`,
    )
  }
  if (claim.status?.phase === 'Lost') {
    return unresolvable(NAME, `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`)
  }
  if (claim.metadata.deletionTimestamp !== undefined) return unresolvable(NAME, `persistentvolumeclaim "${name}" is being deleted`)
  const owner = claim.metadata.ownerReferences?.find((o) => o.controller)
  if (ephemeral && owner?.uid !== pod.uid)
    return unresolvable(NAME, `PVC ${pod.namespace}/${name} was not created for pod ${pod.key} (pod is not owner)`)
  return undefined
}

function sorted(claims: readonly PersistentVolumeClaim[], listers: Listers) {
  const isBound = (c: PersistentVolumeClaim) => Boolean(c.spec?.volumeName) && c.metadata.annotations?.[BOUND] !== undefined
  const waits = (c: PersistentVolumeClaim) => !c.spec?.volumeName && classOf(c, listers)?.volumeBindingMode === 'WaitForFirstConsumer'
  const open = claims.filter((c) => !isBound(c))
  return { bound: claims.filter(isBound), waiting: open.filter(waits), immediate: open.filter((c) => !waits(c)) }
}

function reach(volume: Readonly<PersistentVolume> | undefined): (labels: LabelSet, name: string) => boolean {
  const required = volume?.spec.nodeAffinity?.required
  return required === undefined ? () => true : nodeSelectorMatcher(required)
}

/** How each waiting claim gets its volume on a node: an existing one, or a new one. */
type Plan = ReadonlyMap<PersistentVolumeClaim, Readonly<PersistentVolume> | 'provision'>

function planFor(waiting: readonly PersistentVolumeClaim[], labels: LabelSet, name: string, listers: Listers): Plan | undefined {
  const plan = new Map<PersistentVolumeClaim, Readonly<PersistentVolume> | 'provision'>()
  const taken = new Set<string>()
  const size = (claim: PersistentVolumeClaim) => amountOf('storage', claim.spec?.resources?.requests?.storage ?? 0)
  for (const claim of waiting.toSorted((a, b) => size(a) - size(b))) {
    const volume = smallestFitting(claim, size(claim), labels, name, taken, listers)
    if (volume !== undefined) {
      taken.add(volume.metadata.name ?? '')
      plan.set(claim, volume)
      continue
    }
    const storageClass = classOf(claim, listers)
    if (storageClass === undefined || storageClass.provisioner === NO_PROVISIONER || !allowed(storageClass, labels)) return undefined
    plan.set(claim, 'provision')
  }
  return plan
}

function smallestFitting(
  claim: PersistentVolumeClaim,
  size: number,
  labels: LabelSet,
  name: string,
  taken: ReadonlySet<string>,
  listers: Listers,
) {
  const selects = claim.spec?.selector === undefined ? () => true : compileMatcher(claim.spec?.selector)
  const capacity = (v: Readonly<PersistentVolume>) => amountOf('storage', v.spec.capacity?.storage ?? 0)
  let best: Readonly<PersistentVolume> | undefined
  for (const volume of listers.list('persistentvolumes', '')) {
    const { spec, metadata, status } = volume
    if (taken.has(metadata.name ?? '') || metadata.deletionTimestamp !== undefined) continue
    const meant = spec.claimRef?.name === claim.metadata.name && spec.claimRef?.namespace === claim.metadata.namespace
    if (spec.claimRef === undefined ? (status?.phase ?? 'Available') !== 'Available' : !meant) continue
    if ((spec.storageClassName ?? '') !== (claim.spec?.storageClassName ?? '')) continue
    if ((spec.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) continue
    if (!(claim.spec?.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode))) continue
    if (capacity(volume) < size || !selects(metadata.labels ?? {}) || !reach(volume)(labels, name)) continue
    if (meant) return volume
    if (best === undefined || capacity(volume) < capacity(best)) best = volume
  }
  return best
}

function allowed(storageClass: Readonly<StorageClass>, labels: LabelSet): boolean {
  const terms = storageClass.allowedTopologies ?? []
  return terms.length === 0 || terms.some((term) => (term.matchLabelExpressions ?? []).every((e) => e.values.includes(labels[e.key] ?? '')))
}

/** Reserves existing volumes, requests new ones, and waits until the volume controller has bound them all. */
async function bindClaims(waiting: readonly PersistentVolumeClaim[], node: string, deps: PreBindDeps, timeoutMs: number): Promise<void> {
  const { client, listers } = deps
  const labels = listers.get('nodes', '', node)?.metadata.labels ?? {}
  const plan = planFor(waiting, labels, node, listers)
  if (plan === undefined) throw new Error(`the volumes for node ${node} were taken in the meantime`)
  for (const [claim, how] of plan) {
    const { namespace = '', name = '', uid = '' } = claim.metadata
    if (how === 'provision') {
      await client.patch({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name }, 'merge', {
        metadata: { annotations: { [SELECTED_NODE]: node } },
      })
    } else {
      const claimRef = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace,
        name,
        uid,
        resourceVersion: claim.metadata.resourceVersion ?? '',
      }
      const { name: volumeName = '', resourceVersion = '' } = how.metadata
      // The volume was not reserved for the claim: it is free again if the claim turns out to have another one.
      const annotations = how.spec?.claimRef === undefined ? { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } } : {}
      await client.patch({ ...PERSISTENT_VOLUMES, name: volumeName }, 'merge', {
        metadata: { resourceVersion, ...annotations },
        spec: { claimRef },
      })
    }
  }
  const isBound = (claim: PersistentVolumeClaim) => {
    const now = listers.get('persistentvolumeclaims', claim.metadata.namespace ?? '', claim.metadata.name ?? '')
    return Boolean(now?.spec?.volumeName) && now?.metadata.annotations?.[BOUND] !== undefined
  }
  const names = waiting.map((c) => c.metadata.name).join(', ')
  await deps.until(() => waiting.every(isBound), timeoutMs, `the volumes of claims ${names} to be bound`)
}
