import { semanticEqual } from '../../machinery/equal.ts'
import { asJson, type KubeObject } from '../../machinery/object.ts'
import { alignQuantities } from '../../machinery/schema/align-quantities.ts'
import { builtinSchema } from '../../resources/schema.ts'
import type { Deployment, ReplicaSet } from '../../resources/types/apps.ts'
import type { PodTemplateSpec } from '../../resources/types/core.ts'
import { byAge, isTerminating, scaledValue } from '../pods/pod-state.ts'

export const HASH_LABEL = 'pod-template-hash'
export const REVISION = 'deployment.kubernetes.io/revision'
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history'
export const DESIRED = 'deployment.kubernetes.io/desired-replicas'
export const MAX = 'deployment.kubernetes.io/max-replicas'
/** Which revision to roll back to, as clients of `extensions/v1beta1` asked for it. */
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to'
export const OWN_ANNOTATIONS = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED,
  MAX,
  ROLLBACK_TO,
])
const HISTORY_LENGTH = 2000

/** A Deployment with its ReplicaSets: that of its template, if there is one, and the others. */
export interface DeploymentView {
  readonly deployment: Deployment
  readonly current: ReplicaSet | undefined
  readonly old: readonly ReplicaSet[]
}

/** A ReplicaSet that gets another size, or only the annotations with the Deployment's. */
export interface Resize {
  readonly replicaSet: ReplicaSet
  readonly replicas: number
}

export const replicasOf = ({ spec }: Deployment | ReplicaSet): number => spec.replicas ?? 1
export const sum = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number | undefined): number =>
  sets.reduce((n, set) => n + (of(set) ?? 0), 0)
export const isRolling = (d: Deployment): boolean => d.spec.strategy?.type !== 'Recreate'
export const isScaledUp = (rs: ReplicaSet): boolean => replicasOf(rs) > 0
export const all = (view: DeploymentView): readonly ReplicaSet[] => (view.current === undefined ? view.old : [...view.old, view.current])

/** How many replicas a rollout may have above and below the wanted size. */
export function fenceposts(d: Deployment): { maxSurge: number; maxUnavailable: number } {
  if (!isRolling(d) || replicasOf(d) === 0) return { maxSurge: surge(d), maxUnavailable: 0 }
  const unavailable = scaledValue(d.spec.strategy?.rollingUpdate?.maxUnavailable, replicasOf(d), 'down')
  const maxSurge = surge(d)
  return { maxSurge, maxUnavailable: Math.min(replicasOf(d), maxSurge === 0 && unavailable === 0 ? 1 : unavailable) }
}

const surge = (d: Deployment) => (isRolling(d) ? scaledValue(d.spec.strategy?.rollingUpdate?.maxSurge, replicasOf(d), 'up') : 0)

/** Splits the deployment's replica sets by whether they have its template. */
export function viewOf(deployment: Deployment, replicaSets: readonly ReplicaSet[]): DeploymentView {
  const current = replicaSets.toSorted(byAge).find((rs) => sameTemplate(rs, deployment))
  return { deployment, current, old: replicaSets.filter((rs) => rs !== current) }
}

/** A ReplicaSet may come without a template. */
type Templated = { readonly spec: { readonly template?: PodTemplateSpec } }

/** The template without the label by which each of its ReplicaSets has its own. */
export function withoutHash({ spec: { template } }: Templated): PodTemplateSpec {
  const { [HASH_LABEL]: _, ...labels } = template?.metadata?.labels ?? {}
  return { spec: { containers: [] }, ...template, metadata: { ...template?.metadata, labels } }
}

const podTemplate = builtinSchema('', 'v1', 'PodTemplateSpec')

/** Whether both make the same pods: quantities may be written differently (`1Gi`, `1073741824`). */
export function sameTemplate(a: Templated, b: Templated): boolean {
  const wanted = asJson(withoutHash(b))
  return semanticEqual(alignQuantities(podTemplate(), asJson(withoutHash(a)), wanted), wanted)
}

/** Reads an int64, which may be beyond a number's precision; undefined if the text is none. */
export function readRevision(text = ''): bigint | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined
  const revision = BigInt(text)
  return BigInt.asIntN(64, revision) === revision ? revision : undefined
}
export const revisionOf = (o: KubeObject): bigint => readRevision(o.metadata.annotations?.[REVISION]) ?? 0n
// biome-ignore lint/complexity/useMathMinMax: Math.max takes no bigint
export const nextRevision = (old: readonly ReplicaSet[]): bigint => old.map(revisionOf).reduce((a, b) => (a > b ? a : b), 0n) + 1n

/** The annotations of the deployment's current ReplicaSet; the same object if nothing changes. */
export function currentAnnotations(
  deployment: Deployment,
  standing: Readonly<Record<string, string>> | undefined,
  revision: bigint,
): Readonly<Record<string, string>> {
  const annotations: Record<string, string> = { ...standing }
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) if (!OWN_ANNOTATIONS.has(key)) annotations[key] = value
  const before = readRevision(standing?.[REVISION])
  if (before === undefined || before < revision) {
    annotations[REVISION] = String(revision)
    if (before !== undefined) annotations[REVISION_HISTORY] = history(standing?.[REVISION_HISTORY], String(before))
  }
  if (standing === undefined) Object.assign(annotations, sizeAnnotations(deployment))
  return semanticEqual(annotations, standing) ? (standing ?? annotations) : annotations
}

function history(standing: string | undefined, revision: string): string {
  const list = standing ? standing.split(',') : []
  while (list.length > 0 && list.join(',').length + revision.length + 1 > HISTORY_LENGTH) list.shift()
  return [...list, revision].join(',')
}

export function sizeAnnotations(deployment: Deployment): Record<string, string> {
  return { [DESIRED]: String(replicasOf(deployment)), [MAX]: String(replicasOf(deployment) + fenceposts(deployment).maxSurge) }
}

/** Whether the deployment was resized after its ReplicaSets were. */
export function isScalingEvent(view: DeploymentView): boolean {
  return all(view).some((rs) => {
    const desired = rs.metadata.annotations?.[DESIRED]
    return isScaledUp(rs) && desired !== undefined && Number(desired) !== replicasOf(view.deployment)
  })
}

/** The size that the current ReplicaSet may have now. */
export function currentSize(deployment: Deployment, replicaSets: readonly ReplicaSet[], standing: number): number {
  const wanted = replicasOf(deployment)
  if (!isRolling(deployment)) return wanted
  const room = wanted + fenceposts(deployment).maxSurge - sum(replicaSets, replicasOf)
  return room <= 0 ? standing : standing + Math.min(room, wanted - standing)
}

/** One step of a rolling update: first the new grows, then the old shrinks as far as availability allows. Pure. */
export function planRolling(view: DeploymentView): readonly Resize[] {
  const { deployment, current, old } = view
  if (current === undefined) return []
  const wanted = replicasOf(deployment)
  if (replicasOf(current) > wanted) return [{ replicaSet: current, replicas: wanted }]
  const size = currentSize(deployment, all(view), replicasOf(current))
  if (size !== replicasOf(current)) return [{ replicaSet: current, replicas: size }]
  return shrinkOld(view, old.filter(isScaledUp).toSorted(byAge), current)
}

function shrinkOld(view: DeploymentView, old: readonly ReplicaSet[], current: ReplicaSet): readonly Resize[] {
  const everything = all(view)
  const minAvailable = replicasOf(view.deployment) - fenceposts(view.deployment).maxUnavailable
  const currentUnavailable = replicasOf(current) - (current.status?.availableReplicas ?? 0)
  let room = sum(everything, replicasOf) - minAvailable - currentUnavailable
  if (room <= 0) return []
  const sizes = new Map(old.map((rs) => [rs, replicasOf(rs)]))
  for (const rs of old) {
    const sick = Math.min(room, replicasOf(rs) - (rs.status?.availableReplicas ?? 0))
    if (sick <= 0) continue
    sizes.set(rs, replicasOf(rs) - sick)
    room -= sick
  }
  let spare = sum(everything, (rs) => rs.status?.availableReplicas) - minAvailable
  for (const rs of old) {
    const less = Math.min(spare, sizes.get(rs) ?? 0)
    if (less <= 0) continue
    sizes.set(rs, (sizes.get(rs) ?? 0) - less)
    spare -= less
  }
  return [...sizes].flatMap(([replicaSet, replicas]) => (replicas === replicasOf(replicaSet) ? [] : [{ replicaSet, replicas }]))
}

/** The next step of a deployment that recreates. */
export type RecreateStep =
  /** The old ones are scaled down first. */
  | { readonly kind: 'resize'; readonly moves: readonly Resize[] }
  /** Their pods have not ended yet. */
  | { readonly kind: 'wait' }
  /** The ReplicaSet of the template may be created, and grow. */
  | { readonly kind: 'current' }

/** No pod of the new template starts before all pods of the old ones have ended. Pure. */
export function planRecreate({ old }: DeploymentView, oldPodsRun: () => boolean): RecreateStep {
  const moves = old.filter(isScaledUp).map((replicaSet) => ({ replicaSet, replicas: 0 }))
  if (moves.length > 0) return { kind: 'resize', moves }
  return { kind: oldPodsRun() ? 'wait' : 'current' }
}

/** The current ReplicaSet gets its whole size at once. Pure. */
export function planGrowth({ deployment, current }: DeploymentView): readonly Resize[] {
  const replicas = replicasOf(deployment)
  return current === undefined || replicasOf(current) === replicas ? [] : [{ replicaSet: current, replicas }]
}

/** After the Deployment was resized: its ReplicaSets share the change in proportion to their size. Pure. */
export function planScaling(view: DeploymentView): readonly Resize[] {
  const { deployment, current } = view
  const wanted = replicasOf(deployment)
  const active = all(view).filter(isScaledUp)
  const newestOld = view.old.toSorted(byAge).at(-1)
  const only = active.length === 0 ? (current ?? newestOld) : active.length === 1 ? active[0] : undefined
  if (only !== undefined) return replicasOf(only) === wanted ? [] : [{ replicaSet: only, replicas: wanted }]
  if (current !== undefined && isSaturated(deployment, current))
    return view.old.filter(isScaledUp).map((replicaSet) => ({ replicaSet, replicas: 0 }))
  if (!isRolling(deployment)) return []
  const total = sum(active, replicasOf)
  const toAdd = (wanted > 0 ? wanted + fenceposts(deployment).maxSurge : 0) - total
  const newest = toAdd > 0 ? -1 : 1
  const order = active.toSorted((a, b) => replicasOf(b) - replicasOf(a) || newest * byAge(a, b))
  let added = 0
  const sizes = order.map((rs) => {
    const share = proportion(deployment, rs, { toAdd, added })
    added += share
    return replicasOf(rs) + share
  })
  if (sizes.length > 0) sizes[0] = Math.max(0, (sizes[0] ?? 0) + toAdd - added)
  const resizes = order.map((replicaSet, i) => ({ replicaSet, replicas: sizes[i] ?? 0 }))
  return resizes.filter(({ replicaSet, replicas }) => replicas !== replicasOf(replicaSet) || !knowsSize(deployment, replicaSet))
}

/** One that does not would look resized for ever. */
const knowsSize = (d: Deployment, { metadata: { annotations } }: ReplicaSet) =>
  Object.entries(sizeAnnotations(d)).every(([key, value]) => annotations?.[key] === value)

const isSaturated = (d: Deployment, rs: ReplicaSet) =>
  Number(rs.metadata.annotations?.[DESIRED]) === replicasOf(d) &&
  replicasOf(rs) === replicasOf(d) &&
  rs.status?.availableReplicas === replicasOf(d)

function proportion(d: Deployment, rs: ReplicaSet, { toAdd, added }: { toAdd: number; added: number }): number {
  if (replicasOf(rs) === 0 || toAdd === added) return 0
  const before = Number(rs.metadata.annotations?.[MAX]) || d.status?.replicas || 0
  if (replicasOf(d) > 0 && before === 0) return 0
  const size = replicasOf(d) === 0 ? 0 : Math.round((replicasOf(rs) * (replicasOf(d) + fenceposts(d).maxSurge)) / before)
  const share = size - replicasOf(rs)
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added)
}

/** Old ReplicaSets beyond the history limit. Pure. */
export function planCleanup({ deployment, old }: DeploymentView): readonly ReplicaSet[] {
  const limit = deployment.spec.revisionHistoryLimit
  if (limit === undefined || limit === 2_147_483_647) return []
  const alive = old.filter((rs) => !isTerminating(rs))
  return alive
    .toSorted((a, b) => Number(revisionOf(a) - revisionOf(b)) || byAge(a, b))
    .slice(0, Math.max(0, alive.length - limit))
    .filter((rs) => !rs.status?.replicas && replicasOf(rs) === 0 && (rs.metadata.generation ?? 0) <= (rs.status?.observedGeneration ?? 0))
}
