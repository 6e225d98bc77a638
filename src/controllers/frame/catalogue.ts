import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { builtinResources } from '../../resources/builtin.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../sdk/client/refs.ts'
import type { InformerSet } from './informer-set.ts'

/** A collection that can be listed, watched and deleted from. */
export interface CatalogueEntry extends ResourceRef {
  readonly kind: string
  readonly namespaced: boolean
}

/** All collections of the cluster: the built-in ones, and those that CustomResourceDefinitions add and take away. */
export interface Catalogue {
  entries(): Promise<readonly CatalogueEntry[]>
  namespaced(): Promise<readonly CatalogueEntry[]>
  /** Called after a custom resource has come or gone. */
  onChange(fn: () => void): void
}

export function createCatalogue(informers: InformerSet): Catalogue {
  const definitions = informers.of(CUSTOM_RESOURCE_DEFINITIONS)
  const builtin = builtinResources().flatMap(builtinEntries)
  const entries = async () => {
    await definitions.synced
    return [...builtin, ...definitions.list().flatMap(customEntry)]
  }
  return {
    entries,
    namespaced: async () => (await entries()).filter((e) => e.namespaced),
    onChange(fn) {
      definitions.addHandler({ added: fn, updated: fn, deleted: fn })
    },
  }
}

function builtinEntries(d: ResourceDefinition): CatalogueEntry[] {
  const version = d.versions.find((v) => v.served)
  const complete = d.verbs === undefined || (['list', 'watch', 'delete'] as const).every((v) => d.verbs?.includes(v))
  // Events go by themselves, and are owned by nobody; those stored under another group are reached there.
  if (version === undefined || d.review !== undefined || !complete || d.storedAs !== undefined) return []
  return [{ group: d.group, version: version.version, resource: d.names.plural, kind: d.names.kind, namespaced: d.scope === 'Namespaced' }]
}

function customEntry(crd: KubeObject): CatalogueEntry[] {
  const established = crd.status?.conditions?.some((c: { type: string; status: string }) => c.type === 'Established' && c.status === 'True')
  const version = crd.spec?.versions?.find((v: { served?: boolean }) => v.served)
  if (!established || version === undefined) return []
  const { group, names, scope } = crd.spec
  return [{ group, version: version.name, resource: names.plural, kind: names.kind, namespaced: scope === 'Namespaced' }]
}
