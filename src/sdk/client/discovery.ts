import type { JsonObject } from '../../machinery/object.ts'
import { apiVersionOf, parseApiVersion } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client, ResourceRef } from './client.ts'

/** A resource of the discovery document. */
export interface DiscoveredResource extends ResourceRef {
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  /** Of all served versions of this resource the one to use. */
  readonly preferred: boolean
}

/** What a server serves. */
export interface Discovered {
  readonly resources: readonly DiscoveredResource[]
  /** Group versions that could not be looked into, and why: an aggregated server that is away. */
  readonly failed: ReadonlyMap<string, string>
}

/** Reads which resources a server serves. Each read is conditional: an unchanged document is not sent again. */
export interface Discovery {
  /** @throws {StatusError} if the server cannot be reached */
  read(signal?: AbortSignal): Promise<Discovered>
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'

/** Discovery of all groups, aggregated ones too: in one document if the server has it (Kubernetes 1.27 and later), else group by group. */
export function createDiscovery(client: Pick<Client, 'page'>): Discovery {
  const roots = ['/api', '/apis'].map((path) => ({ path, etag: undefined as string | undefined, found: NOTHING }))
  let joined: { readonly parts: readonly Discovered[]; readonly whole: Discovered } = { parts: [], whole: NOTHING }
  return {
    async read(signal) {
      await Promise.all(
        roots.map(async (root) => {
          const options = { accept: AGGREGATED, ...(root.etag !== undefined && { etag: root.etag }), ...(signal && { signal }) }
          const { value, etag } = await client.page(root.path, options)
          if (value === undefined) return
          root.found = value.kind === 'APIGroupDiscoveryList' ? readAggregated(value) : await readEach(client, value, signal)
          root.etag = etag
        }),
      )
      const parts = roots.map((root) => root.found)
      if (parts.some((part, i) => part !== joined.parts[i])) joined = { parts, whole: join(parts) }
      return joined.whole
    },
  }
}

const NOTHING: Discovered = { resources: [], failed: new Map() }

const join = (parts: readonly Discovered[]): Discovered => ({
  resources: parts.flatMap((part) => part.resources),
  failed: new Map(parts.flatMap((part) => [...part.failed])),
})

/** `apidiscovery.k8s.io/v2 APIGroupDiscoveryList`, as far as it is used. */
interface AggregatedList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string }
    readonly versions?: readonly {
      readonly version: string
      readonly freshness?: string
      readonly resources?: readonly {
        readonly resource: string
        readonly responseKind?: { readonly kind?: string }
        readonly scope: string
        readonly verbs?: readonly string[]
      }[]
    }[]
  }[]
}

function readAggregated(value: JsonObject): Discovered {
  const resources: DiscoveredResource[] = []
  const failed = new Map<string, string>()
  // What is read here is read as discovery writes it.
  for (const { metadata, versions = [] } of (value as AggregatedList).items ?? []) {
    const group = metadata?.name ?? ''
    const seen = new Set<string>()
    for (const { version, freshness, resources: listed = [] } of versions) {
      const gv = apiVersionOf({ group, version })
      if (freshness === 'Stale') failed.set(gv, `stale GroupVersion discovery: ${gv}`)
      for (const { resource, responseKind, scope, verbs = [] } of listed) {
        const kind = responseKind?.kind ?? ''
        resources.push({ group, version, resource, kind, namespaced: scope === 'Namespaced', verbs, preferred: !seen.has(resource) })
        seen.add(resource)
      }
    }
  }
  return { resources, failed }
}

/** `v1.APIVersions`, `v1.APIGroupList` and `v1.APIResourceList`, as far as they are used. */
interface GroupList {
  readonly versions?: readonly string[]
  readonly groups?: readonly { readonly name: string; readonly versions: readonly { readonly groupVersion: string }[] }[]
}
interface ResourceList {
  readonly resources?: readonly {
    readonly name: string
    readonly kind: string
    readonly namespaced: boolean
    readonly verbs?: readonly string[]
  }[]
}

/** The way of servers that do not know the aggregated document. */
async function readEach(client: Pick<Client, 'page'>, value: JsonObject, signal: AbortSignal | undefined): Promise<Discovered> {
  const list = value as GroupList
  const resources: DiscoveredResource[] = []
  const failed = new Map<string, string>()
  const groups = list.groups?.map((g) => g.versions.map((v) => v.groupVersion)) ?? [list.versions ?? []]
  for (const versions of groups) {
    const seen = new Set<string>()
    for (const gv of versions) {
      const { group = '', version = gv } = parseApiVersion(gv) ?? {}
      try {
        const page = await client.page(group === '' ? `/api/${gv}` : `/apis/${gv}`, signal && { signal })
        for (const { name, kind, namespaced, verbs = [] } of (page.value as ResourceList).resources ?? []) {
          if (name.includes('/')) continue
          resources.push({ group, version, resource: name, kind, namespaced, verbs, preferred: !seen.has(name) })
          seen.add(name)
        }
      } catch (error) {
        if (!isStatus(error)) throw error
        failed.set(gv, error.message)
      }
    }
  }
  return { resources, failed }
}
