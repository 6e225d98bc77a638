import { storedAs } from '../../apiserver/cache/storage-keys.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { EtcdOverride } from '../../server/options/storage.ts'

/** An etcd that `--etcd-servers-overrides` names, and `GROUP/RESOURCE` of what is kept there. */
export interface OverridePlace {
  readonly servers: readonly string[]
  readonly resources: ReadonlySet<string>
}

/** Groups that are served by programs of their own in Kubernetes, which know no overrides. */
const NEVER = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/**
 * Each etcd of the overrides once, in their order, with its resources. An override of one resource comes before one of a whole group
 * (`apps/*`); of two for the same, the later one counts. Resources that other groups share (events) are named by the group that stores
 * them.
 */
export function placeOverrides(overrides: readonly EtcdOverride[], definitions: readonly ResourceDefinition[]): readonly OverridePlace[] {
  const places = new Map<string, { readonly servers: readonly string[]; readonly resources: Set<string> }>()
  for (const { servers } of overrides) if (!places.has(keyOf(servers))) places.set(keyOf(servers), { servers, resources: new Set() })
  const byName = new Map(overrides.map((override) => [`${override.group}/${override.resource}`, override.servers]))
  for (const { group, resource } of definitions.map(storedAs)) {
    const servers = NEVER.has(group) ? undefined : (byName.get(`${group}/${resource}`) ?? byName.get(`${group}/*`))
    if (servers !== undefined) places.get(keyOf(servers))?.resources.add(`${group}/${resource}`)
  }
  return [...places.values()]
}

/** The same members in another order are the same etcd. */
const keyOf = (servers: readonly string[]): string => servers.toSorted().join(';')
