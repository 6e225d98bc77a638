import { createHash } from 'node:crypto'
import { byKey, byText } from '../../base/by-text.ts'
import { inTurns, type Later, Pace, type Steps } from '../../base/steps.ts'
import type { GroupVersionKind, JsonObject } from '../../machinery/object.ts'
import { type ResourceDefinition, subresourcesOf } from '../../machinery/resource/definition.ts'
import type { ResourceRegistry } from '../cache/resource-registry.ts'
import type { DelegateServers } from '../delegate-server.ts'
import type { ServerDeps } from '../deps.ts'
import type { Encoding } from '../handlers/body/media-type.ts'
import { subresourceVerbs } from '../handlers/route.ts'
import { type Encoded, encode } from '../http/response/encode.ts'
import { listedGroups, versionsOf } from './groups.ts'
import { subresourceKind, verbsOf } from './resources.ts'

export interface AggregatedDocument {
  /** In each encoding, made at the first request and shared by all. */
  body(encoding: Encoding): Later<Encoded['body']>
  readonly etag: string
}

/** The core group, the other groups of this server and its delegates, or these with what peers serve. */
export type DiscoveryView = 'core' | 'groups' | 'groups of all servers'

type AggregatedDeps = Pick<ServerDeps, 'definitions' | 'delegates' | 'kinds' | 'peers'>

/**
 * Makes `apidiscovery.k8s.io/v2 APIGroupDiscoveryList` documents, in turns; makes them again only when what they show has changed.
 */
export function aggregatedDocuments(deps: AggregatedDeps): (view: DiscoveryView) => Promise<AggregatedDocument> {
  const { definitions, delegates, peers } = deps
  const made = new Map<DiscoveryView, { readonly generation: string; readonly document: Promise<AggregatedDocument> }>()
  return (view) => {
    const known = made.get(view)
    const generation = `${definitions.generation} ${delegates?.generation ?? 0} ${peers?.generation ?? 0}`
    if (known?.generation === generation) return known.document
    const document = inTurns(documentOf(deps, view))
    made.set(view, { generation, document })
    return document
  }
}

/** The work of one version, in microseconds. */
const WORK_OF_VERSION = 30

function* documentOf(deps: AggregatedDeps, view: DiscoveryView): Steps<AggregatedDocument> {
  const pace = new Pace()
  const items = yield* itemsOf(deps, view, pace)
  const hash = createHash('sha512')
  for (const item of items) {
    if (pace.due(WORK_OF_VERSION)) yield
    hash.update(JSON.stringify(item))
  }
  const list = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }
  const bodies = new Map<Encoding, Promise<Encoded>>()
  return {
    etag: hash.digest('hex').toUpperCase(),
    async body(encoding) {
      const known = bodies.get(encoding) ?? encode(list, { encoding, pretty: false }, deps.kinds)
      bodies.set(encoding, known)
      return (await known).body
    },
  }
}

function* itemsOf({ definitions, delegates, peers }: AggregatedDeps, view: DiscoveryView, pace: Pace): Steps<readonly object[]> {
  const groups = view === 'core' ? [{ name: '', versions: versionsOf(definitions, '') }] : listedGroups(definitions, delegates)
  const items: object[] = []
  for (const { name, versions } of groups) {
    if (pace.due(WORK_OF_VERSION * versions.length)) yield
    const shown = versions.flatMap((version) => versionOf(definitions, { group: name, version }, delegates))
    if (shown.length > 0) items.push({ metadata: name === '' ? {} : { name }, versions: shown })
  }
  // What is made here is JSON.
  return view === 'groups of all servers' && peers !== undefined ? peers.joined(items as readonly JsonObject[]) : items
}

function versionOf(
  definitions: ResourceRegistry,
  { group, version }: { readonly group: string; readonly version: string },
  delegates: DelegateServers | undefined,
): readonly object[] {
  const foreign = delegates?.discovery(group, version)
  if (foreign !== undefined) return [{ version, ...(foreign.resources && { resources: foreign.resources }), freshness: foreign.freshness }]
  const resources = resourcesOf(definitions, group, version)
  // An APIService with nothing behind it appears in the lists of groups only.
  return resources.length === 0 ? [] : [{ version, resources, freshness: 'Current' }]
}

function resourcesOf(definitions: ResourceRegistry, group: string, version: string) {
  return definitions
    .ofGroup(group)
    .filter((d) => d.versions.some((v) => v.version === version && v.served))
    .sort((a, b) => byText(a.names.plural, b.names.plural))
    .map((d) => entry(d, version))
}

/** The subresources of a version. */
function subresourcesAt(d: ResourceDefinition, version: string) {
  const found = d.versions.find((v) => v.version === version)
  return found === undefined ? {} : subresourcesOf(d, found)
}

function entry(d: ResourceDefinition, version: string) {
  const { names } = d
  const found = Object.entries(subresourcesAt(d, version))
  // Those of custom resources come in the order of the definition: status, scale.
  const ordered = d.customDefinition === undefined ? found.sort(byKey) : found
  const subresources = ordered.map(([name, s]) => ({
    subresource: name,
    responseKind: responseKind(d, version, subresourceKind(d, s, version)),
    verbs: [...subresourceVerbs(s)].sort(),
  }))
  return {
    resource: names.plural,
    responseKind: responseKind(d, version, { group: d.group, version, kind: names.kind }),
    scope: d.scope,
    singularResource: names.singular,
    verbs: verbsOf(d),
    ...(names.shortNames?.length && { shortNames: names.shortNames }),
    ...(names.categories?.length && { categories: names.categories }),
    ...(subresources.length > 0 && { subresources }),
  }
}

/** Group and version are given only if they differ from those of the resource; custom resources always give them. */
function responseKind(d: ResourceDefinition, version: string, gvk: GroupVersionKind): GroupVersionKind {
  const own = gvk.group === d.group && gvk.version === version && d.customDefinition === undefined
  return own ? { group: '', version: '', kind: gvk.kind } : gvk
}
