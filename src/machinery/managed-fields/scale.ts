import type { ManagedFieldsEntry } from '../object.ts'
import { decodeOwners, encodeOwners, type Owned, type Owners, setOwned } from './entries.ts'
import { difference, hasPath, setOfFields } from './field-set/field-set.ts'

/** The path of the replicas in each version of a resource (`['spec', 'replicas']`); undefined for versions without scale. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>

const scaleVersion = 'autoscaling/v1'
const replicasInScale = ['spec', 'replicas']
const elements = (path: readonly string[]) => path.map((name) => `f:${name}`)

/** The managed fields of a scale: the owners of the replicas of its resource. */
export function managedFieldsOfScale(
  parent: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const scale: Owners = new Map()
  for (const owner of decodeOwners(parent).values()) {
    const path = paths.get(owner.apiVersion)
    if (path !== undefined && hasPath(owner.set, elements(path)))
      scale.set(owner.id, { ...owner, apiVersion: scaleVersion, set: setOfFields([replicasInScale]) })
  }
  return encodeOwners(scale)
}

/** The managed fields of the resource after a write to its scale. Owners in unlisted versions are dropped. */
export function managedFieldsFromScale(write: {
  readonly parent: readonly ManagedFieldsEntry[] | undefined
  readonly scale: readonly ManagedFieldsEntry[] | undefined
  /** The version of the resource through which its scale was written. */
  readonly apiVersion: string
  readonly paths: ReplicasPaths
}): ManagedFieldsEntry[] | undefined {
  const parents = decodeOwners(write.parent)
  const scale = decodeOwners(write.scale)
  const result: Owners = new Map()
  for (const owner of parents.values()) {
    if (!write.paths.has(owner.apiVersion)) continue
    const path = write.paths.get(owner.apiVersion)
    if (path === undefined || !hasPath(owner.set, elements(path)) || scale.delete(owner.id)) result.set(owner.id, owner)
    else setOwned(result, { ...owner, set: difference(owner.set, setOfFields([path])) })
  }
  const path = write.paths.get(write.apiVersion)
  if (path !== undefined)
    for (const owner of scale.values())
      if (hasPath(owner.set, elements(replicasInScale)))
        result.set(owner.id, moved(owner, write.apiVersion, path, parents.get(owner.id)?.time))
  return encodeOwners(result)
}

const moved = (owner: Owned, apiVersion: string, path: readonly string[], time: string | undefined): Owned => ({
  ...owner,
  apiVersion,
  set: setOfFields([path]),
  time,
})
