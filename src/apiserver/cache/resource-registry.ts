import type { ResourceDefinition, ResourceVersion } from '../../machinery/resource/definition.ts'

/** A definition and one of its served versions. */
export interface ServedResource {
  readonly definition: ResourceDefinition
  readonly version: ResourceVersion
}

/**
 * The resources this server serves, by group, version and plural name. Custom resources come and go at run time; discovery, OpenAPI and the
 * watch cache listen for changes.
 */
export interface ResourceRegistry {
  /** Counts changes: what was derived from the definitions is stale if it differs. */
  readonly generation: number
  all(): readonly ResourceDefinition[]
  /** Those of one group. */
  ofGroup(group: string): readonly ResourceDefinition[]
  /** The definition, whether served or not. */
  get(group: string, plural: string): ResourceDefinition | undefined
  /** A served version of a resource. */
  served(group: string, version: string, plural: string): ServedResource | undefined
  /** Finds a definition by group and kind. */
  byKind(group: string, kind: string): ResourceDefinition | undefined
  /** True if some version of the group is served. */
  hasGroup(group: string): boolean
  /**
   * Serves a resource, replacing an earlier definition of the same owner (the CustomResourceDefinition, or the server itself). Returns
   * false if another owner has the name.
   */
  serve(definition: ResourceDefinition): boolean
  /** Stops serving a resource, unless another owner serves the name. */
  withdraw(definition: ResourceDefinition): void
  /** Calls `listener` after each change; the returned function removes it. */
  onChange(listener: () => void): () => void
}

const keyOf = (group: string, name: string) => `${group}/${name}`
/** The owner of a definition: the name of its CustomResourceDefinition, or `''` for built-in kinds. */
const ownerOf = (d: ResourceDefinition) => d.customDefinition ?? ''

/** Creates a registry with initial definitions. */
export function createResourceRegistry(initial: readonly ResourceDefinition[]): ResourceRegistry {
  const byName = new Map<string, ResourceDefinition>()
  const byKind = new Map<string, ResourceDefinition>()
  const listeners = new Set<() => void>()
  const served = new Map<string, ServedResource>()
  let generation = 0
  const put = (d: ResourceDefinition) => {
    byName.set(keyOf(d.group, d.names.plural), d)
    const kind = keyOf(d.group, d.names.kind)
    const standing = byKind.get(kind)
    if (standing === undefined || (d.review === undefined && ownerOf(standing) === ownerOf(d))) byKind.set(kind, d)
    for (const version of d.versions) {
      if (version.served) served.set(`${d.group}/${version.version}/${d.names.plural}`, { definition: d, version })
    }
  }
  const drop = (group: string, plural: string) => {
    const old = byName.get(keyOf(group, plural))
    if (old === undefined) return
    byName.delete(keyOf(group, plural))
    if (byKind.get(keyOf(group, old.names.kind)) === old) byKind.delete(keyOf(group, old.names.kind))
    for (const v of old.versions) served.delete(`${group}/${v.version}/${plural}`)
  }
  let known: Set<string> | undefined
  const groups = () => {
    known ??= new Set([...byName.values()].filter((d) => d.versions.some((v) => v.served)).map((d) => d.group))
    return known
  }
  let byGroup: Map<string, readonly ResourceDefinition[]> | undefined
  const changed = () => {
    known = undefined
    byGroup = undefined
    generation++
    for (const listener of [...listeners]) listener()
  }
  for (const d of initial) put(d)
  return {
    get generation() {
      return generation
    },
    all: () => [...byName.values()],
    ofGroup(group) {
      byGroup ??= Map.groupBy(byName.values(), (d) => d.group)
      return byGroup.get(group) ?? []
    },
    get: (group, plural) => byName.get(keyOf(group, plural)),
    served: (group, version, plural) => served.get(`${group}/${version}/${plural}`),
    byKind: (group, kind) => byKind.get(keyOf(group, kind)),
    hasGroup: (group) => groups().has(group),
    serve(definition) {
      const { group, names } = definition
      const standing = byName.get(keyOf(group, names.plural))
      if (standing !== undefined && ownerOf(standing) !== ownerOf(definition)) return false
      drop(group, names.plural)
      put(definition)
      changed()
      return true
    },
    withdraw(definition) {
      const { group, names } = definition
      const standing = byName.get(keyOf(group, names.plural))
      if (standing === undefined || ownerOf(standing) !== ownerOf(definition)) return
      drop(group, names.plural)
      changed()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
