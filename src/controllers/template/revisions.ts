import { fnv32 } from '../../base/fnv.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CONTROLLER_REVISIONS } from '../../resources/refs.ts'
import type { ControllerRevision } from '../../resources/types/apps.ts'
import type { PodTemplateSpec } from '../../resources/types/core.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import { createObject, targetOf, updateObject } from '../frame/objects.ts'
import { controllerReference } from '../pods/ownership.ts'
import { canonicalJson, safeEncode } from './template-hash.ts'

/** A StatefulSet or a DaemonSet: its templates are kept as revisions. */
export interface Revisioned extends KubeObject {
  readonly spec: { readonly template: PodTemplateSpec; readonly revisionHistoryLimit?: number }
  readonly status?: { readonly collisionCount?: number }
}

/** What a revision remembers: the template, as a patch; its keys are sorted, because clients compare the bytes. */
export function revisionData(owner: Revisioned): JsonObject {
  return JSON.parse(canonicalJson({ spec: { template: { ...owner.spec.template, $patch: 'replace' } } })) as JsonObject
}

/** The hash of a revision's data, as Kubernetes computes it. */
export function revisionHash(data: JsonObject, collisions: number | undefined): string {
  const text = canonicalJson(data) + (collisions === undefined ? '' : String(collisions))
  return safeEncode(String(fnv32(new TextEncoder().encode(text))))
}

/** The template that a revision remembers. */
export function templateIn(revision: ControllerRevision): PodTemplateSpec {
  // `revisionData` made it; a revision of another client makes a pod that the API refuses.
  const data = revision.data as { readonly spec?: { readonly template?: PodTemplateSpec & { readonly $patch?: string } } } | undefined
  const { $patch: _, ...template } = data?.spec?.template ?? { spec: { containers: [] } }
  return template
}

export interface NewRevision<T extends Revisioned> {
  readonly owner: T
  /** The collection of the owner. */
  readonly owners: ResourceRef<T>
  readonly hash: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The revision of the owner's template: the existing one, renumbered if it is not the newest, or a new one. */
export async function currentRevision<T extends Revisioned>(
  client: Client,
  revisions: readonly ControllerRevision[],
  wanted: NewRevision<T>,
): Promise<ControllerRevision> {
  const data = revisionData(wanted.owner)
  const newest = Math.max(0, ...revisions.map((r) => Number(r.revision)))
  const equal = revisions
    .filter((r) => semanticEqual(r.data, data))
    .toSorted((a, b) => Number(a.revision) - Number(b.revision))
    .at(-1)
  if (equal !== undefined)
    return Number(equal.revision) === newest ? equal : updateObject(client, CONTROLLER_REVISIONS, { ...equal, revision: newest + 1 })
  return createRevision(client, wanted, data, newest + 1)
}

async function createRevision<T extends Revisioned>(
  client: Client,
  wanted: NewRevision<T>,
  data: JsonObject,
  number: number,
): Promise<ControllerRevision> {
  const { owner, annotations } = wanted
  const revision: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${owner.metadata.name}-${wanted.hash}`,
      namespace: owner.metadata.namespace ?? '',
      labels: { ...wanted.labels },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision: number,
  }
  try {
    return await createObject(client, CONTROLLER_REVISIONS, revision)
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
    const existing = await client.get<ControllerRevision>(targetOf(CONTROLLER_REVISIONS, revision))
    if (semanticEqual(existing.data, data)) return existing
    await countCollision(client, wanted)
    throw error
  }
}

/** The hash names another revision, or one that was changed by hand: the next attempt uses another hash. */
async function countCollision<T extends Revisioned>(client: Client, { owner, owners }: NewRevision<T>): Promise<void> {
  const collisionCount = (owner.status?.collisionCount ?? 0) + 1
  const target = { ...targetOf(owners, owner), subresource: 'status' }
  await client.update<T>(target, { ...owner, status: { ...owner.status, collisionCount } })
}

/** Deletes the oldest revisions that are not in use, beyond the limit. `live`: names of those in use. */
export async function trimRevisions(
  client: Client,
  owner: Revisioned,
  revisions: readonly ControllerRevision[],
  live: ReadonlySet<string>,
): Promise<void> {
  const limit = owner.spec.revisionHistoryLimit ?? 10
  const idle = revisions.filter((r) => !live.has(r.metadata.name ?? '')).toSorted((a, b) => Number(a.revision) - Number(b.revision))
  for (const revision of idle.slice(0, Math.max(0, idle.length - limit)))
    await client.delete(targetOf(CONTROLLER_REVISIONS, revision)).catch(ignoring('NotFound'))
}
