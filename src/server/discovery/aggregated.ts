import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { subresourceVerbs } from '../handlers/route.ts'
import type { Definitions } from '../registry/definitions.ts'
import { groupsInOrder, versionsOf } from './groups.ts'
import { subresourceKind, verbsOf } from './resources.ts'

/** `apidiscovery.k8s.io/v2 APIGroupDiscoveryList` of the core group, or of all others. */
export function aggregated(definitions: Definitions, core: boolean) {
  const groups = core ? [''] : groupsInOrder(definitions)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: { ...(group !== '' && { name: group }), creationTimestamp: null },
      versions: versionsOf(definitions, group).map((version) => ({
        version,
        resources: resourcesOf(definitions, group, version),
        freshness: 'Current',
      })),
    })),
  }
}

function resourcesOf(definitions: Definitions, group: string, version: string) {
  return definitions
    .all()
    .filter((d) => d.group === group && d.versions.some((v) => v.version === version && v.served))
    .sort((a, b) => (a.names.plural < b.names.plural ? -1 : 1))
    .map((d) => entry(d, version))
}

function entry(d: ResourceDefinition, version: string) {
  const { names } = d
  const subresources = Object.entries(d.subresources ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, s]) => ({ subresource: name, responseKind: subresourceKind(d, s, version), verbs: [...subresourceVerbs(s)].sort() }))
  return {
    resource: names.plural,
    responseKind: { group: d.group, version, kind: names.kind },
    scope: d.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: names.singular,
    verbs: verbsOf(d),
    ...(names.shortNames?.length && { shortNames: names.shortNames }),
    ...(names.categories?.length && { categories: names.categories }),
    ...(subresources.length > 0 && { subresources }),
  }
}
