import { createHash } from 'node:crypto'
import { byText } from '../../base/by-text.ts'
import { apiVersionOf } from '../../machinery/object.ts'
import { type ResourceDefinition, type Subresource, subresourcesOf, type Verb } from '../../machinery/resource/definition.ts'
import type { ResourceRegistry } from '../cache/resource-registry.ts'
import type { DelegateServers, ListedGroup } from '../delegate-server.ts'
import { subresourceVerbs } from '../handlers/route.ts'
import { listedGroups } from './groups.ts'

const ALL: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

const CUSTOM: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

/** The verbs of a resource, in Kubernetes' order. */
export function verbsOf(d: ResourceDefinition): readonly Verb[] {
  if (d.customDefinition !== undefined && d.verbs === undefined) return CUSTOM
  return d.verbs === undefined ? (d.review === undefined ? ALL : ['create']) : [...d.verbs].sort()
}

/** The kind that a subresource reads and writes. */
export function subresourceKind(d: ResourceDefinition, s: Subresource, version: string) {
  if (s.kind === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' }
  if ((s.kind === 'action' || s.kind === 'connect') && s.input !== undefined) return s.input
  return { group: d.group, version, kind: d.names.kind }
}

/** `APIResourceList` of a group version; undefined if nothing in it is served. */
export function resourceList(definitions: ResourceRegistry, group: string, version: string) {
  const served = definitions.ofGroup(group).filter((d) => d.versions.some((v) => v.version === version && v.served))
  if (served.length === 0) return undefined
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => byText(a.name, b.name)
  // Subresources of a custom resource follow it, in the order of its definition; built-in groups are sorted throughout.
  const custom = served.filter((d) => d.customDefinition !== undefined).toSorted((a, b) => byText(a.names.plural, b.names.plural))
  const builtin = served.filter((d) => d.customDefinition === undefined)
  const resources = [...builtin.flatMap((d) => entries(d, version)).sort(byName), ...custom.flatMap((d) => entries(d, version))]
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources,
  }
}

function subresourcesAt(d: ResourceDefinition, version: string): Readonly<Record<string, Subresource>> {
  const found = d.versions.find((v) => v.version === version)
  return found === undefined ? {} : subresourcesOf(d, found)
}

function entries(d: ResourceDefinition, version: string) {
  const { names } = d
  const namespaced = d.scope === 'Namespaced'
  const own = {
    name: names.plural,
    singularName: names.singular,
    namespaced,
    kind: names.kind,
    verbs: verbsOf(d),
    ...(names.shortNames?.length && { shortNames: names.shortNames }),
    ...(names.categories?.length && { categories: names.categories }),
    ...(d.review === undefined && verbsOf(d).includes('watch') && { storageVersionHash: storageVersionHash(d) }),
  }
  const subresources = Object.entries(subresourcesAt(d, version)).map(([name, s]) => {
    const gvk = subresourceKind(d, s, version)
    const foreign = gvk.group !== d.group || gvk.version !== version
    return {
      name: `${names.plural}/${name}`,
      singularName: '',
      namespaced,
      ...(foreign && { group: gvk.group, version: gvk.version }),
      kind: gvk.kind,
      verbs: [...subresourceVerbs(s)].sort(),
    }
  })
  return [own, ...subresources]
}

/** Kinds that Kubernetes 1.36 still stores in an older version: the hash that clients see depends on it. */
const STORED_OLDER: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'v1beta1',
  MutatingAdmissionPolicy: 'v1beta1',
  MutatingAdmissionPolicyBinding: 'v1beta1',
}

function storageVersionHash(d: ResourceDefinition): string {
  const group = d.storedAs?.group ?? d.group
  const text = `${group}/${STORED_OLDER[d.names.kind] ?? d.storageVersion}/${d.names.kind}`
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
}

/** `APIVersions`: `GET /api`. */
export function legacyGroup(serverAddress: string) {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }] }
}

/** `APIGroupList`: `GET /apis`. */
export function groupList(definitions: ResourceRegistry, delegates?: DelegateServers) {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: listedGroups(definitions, delegates).map(groupEntry) }
}

/** `APIGroup`: `GET /apis/GROUP`. */
export function groupOf(definitions: ResourceRegistry, group: string, delegates?: DelegateServers) {
  const found = group === '' ? undefined : listedGroups(definitions, delegates).find(({ name }) => name === group)
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(found) }
}

function groupEntry({ name, versions: listed }: ListedGroup) {
  const versions = listed.map((version) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions, preferredVersion: versions[0] }
}
