import { semanticEqual } from '../../machinery/equal.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client, ResourceRef } from '../../sdk/client/client.ts'
import { CONTROLLER_REVISIONS } from '../../sdk/client/refs.ts'
import { controllerReference } from '../pods/ownership.ts'
import { canonicalJson, fnv32, safeEncode } from './template-hash.ts'

/** What a revision remembers: the template, as a patch; its keys in order, for clients compare the bytes. */
export function revisionData(owner: KubeObject): JsonObject {
  return JSON.parse(canonicalJson({ spec: { template: { ...(owner.spec?.template ?? {}), $patch: 'replace' } } })) as JsonObject
}

/** The hash of a revision's data, as Kubernetes computes it. */
export function revisionHash(data: JsonObject, collisions: number | undefined): string {
  const text = canonicalJson(data) + (collisions === undefined ? '' : String(collisions))
  return safeEncode(String(fnv32(new TextEncoder().encode(text), '1')))
}

/** The template that a revision remembers. */
export function templateIn(revision: KubeObject): KubeObject['spec'] {
  const { $patch: _, ...template } = revision.data?.spec?.template ?? {}
  return template
}

export interface NewRevision {
  readonly owner: KubeObject
  /** Of what kind it is. */
  readonly owners: ResourceRef
  readonly hash: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

/** The revision of the owner's template: the one that stands, renumbered if it is not the newest, or a new one. */
export async function currentRevision(client: Client, revisions: readonly KubeObject[], wanted: NewRevision): Promise<KubeObject> {
  const data = revisionData(wanted.owner)
  const newest = Math.max(0, ...revisions.map((r) => Number(r.revision ?? 0)))
  const equal = revisions
    .filter((r) => semanticEqual(r.data, data))
    .toSorted((a, b) => Number(a.revision) - Number(b.revision))
    .at(-1)
  const { namespace = '', name: ownerName = '' } = wanted.owner.metadata
  if (equal !== undefined) {
    if (Number(equal.revision) === newest) return equal
    return client.update({ ...CONTROLLER_REVISIONS, namespace, name: equal.metadata.name ?? '' }, { ...equal, revision: newest + 1 })
  }
  const name = `${ownerName}-${wanted.hash}`
  const revision: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace,
      labels: { ...wanted.labels },
      ...(wanted.annotations === undefined ? {} : { annotations: { ...wanted.annotations } }),
      ownerReferences: [controllerReference(wanted.owner)],
    },
    data,
    revision: newest + 1,
  }
  try {
    return await client.create({ ...CONTROLLER_REVISIONS, namespace }, revision)
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
    const standing = await client.get({ ...CONTROLLER_REVISIONS, namespace, name })
    if (semanticEqual(standing.data, data)) return standing
    // Another's, or changed by hand: the next try has another hash.
    const collisionCount = (wanted.owner.status?.collisionCount ?? 0) + 1
    await client.update(
      { ...wanted.owners, namespace, name: ownerName, subresource: 'status' },
      { ...wanted.owner, status: { ...wanted.owner.status, collisionCount } },
    )
    throw error
  }
}

/** Deletes the oldest revisions that nobody uses, beyond the limit. */
export async function trimRevisions(
  client: Client,
  owner: KubeObject,
  revisions: readonly KubeObject[],
  live: ReadonlySet<string>,
): Promise<void> {
  const limit = owner.spec?.revisionHistoryLimit ?? 10
  const idle = revisions.filter((r) => !live.has(r.metadata.name ?? '')).toSorted((a, b) => Number(a.revision) - Number(b.revision))
  for (const revision of idle.slice(0, Math.max(0, idle.length - limit))) {
    const { namespace = '', name = '' } = revision.metadata
    await client.delete({ ...CONTROLLER_REVISIONS, namespace, name }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }
}
