import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Json, JsonObject } from '../../src/machinery/object.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { upstream } from '../../test/upstream.ts'
import { CUSTOM_SAMPLES } from './custom-kinds.ts'
import { type RuleTable, readRuleTables } from './rule-tables.ts'
import { isObject, type Schema, Schemas } from './schema.ts'

/** A resource that requests are drawn for. */
export interface Kind {
  /** `/apis/apps/v1/namespaces/{ns}/deployments` */
  readonly collection: string
  readonly plural: string
  readonly namespaced: boolean
  readonly apiVersion: string
  readonly kind: string
  readonly verbs: readonly string[]
  readonly subresources: readonly Subresource[]
  readonly schemas: Schemas
  readonly schema: Schema
  /** Valid objects. */
  readonly samples: readonly JsonObject[]
  /** Our rules of it, at its storage version. */
  readonly tables: readonly RuleTable[]
}

interface Subresource {
  readonly name: string
  readonly kind: string
  readonly apiVersion: string
  readonly verbs: readonly string[]
}

interface DiscoveredResource {
  readonly resource?: string
  readonly subresource?: string
  readonly responseKind?: { readonly group: string; readonly version: string; readonly kind: string }
  readonly scope?: string
  readonly verbs: readonly string[]
  readonly subresources?: readonly DiscoveredResource[]
}

interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string }
    readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveredResource[] }[]
  }[]
}

const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** The kinds that the server has and that there are samples of, in the order of their collections. */
export async function readKinds(client: Client): Promise<readonly Kind[]> {
  const samples = readSamples()
  const tables = await readRuleTables()
  const found: Kind[] = []
  for (const root of ['/api', '/apis']) {
    const { items } = await pageOf<Discovery>(client, root, DISCOVERY)
    for (const { metadata, versions } of items)
      for (const { version, resources } of versions) {
        const group = metadata.name ?? ''
        const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
        if (![...samples.keys()].some((collection) => collection.startsWith(`${base}/`))) continue
        const document = await pageOf<Document>(client, `/openapi/v3${base}`)
        const schemas = new Schemas(document.components.schemas)
        found.push(...resources.flatMap((resource) => kindOf(resource, { base, group, version, schemas, samples, tables })))
      }
  }
  return found.sort((a, b) => (a.collection < b.collection ? -1 : 1))
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** What a server answers at a path that is no resource. */
async function pageOf<T>(client: Client, path: string, accept = 'application/json'): Promise<T> {
  const { value } = await client.page(path, { accept })
  return value as unknown as T
}

interface Place {
  readonly base: string
  readonly group: string
  readonly version: string
  readonly schemas: Schemas
  readonly samples: ReadonlyMap<string, readonly JsonObject[]>
  readonly tables: ReadonlyMap<string, readonly RuleTable[]>
}

function kindOf(resource: DiscoveredResource, { base, group, version, schemas, samples, tables }: Place): Kind[] {
  const { resource: plural = '', verbs, responseKind, subresources = [] } = resource
  const namespaced = resource.scope === 'Namespaced'
  const collection = `${base}${namespaced ? '/namespaces/{ns}' : ''}/${plural}`
  const kind = responseKind?.kind ?? ''
  const schema = schemas.ofKind(group, version, kind)
  const valid = samples.get(collection)
  if (schema === undefined || valid === undefined) return []
  const apiVersionOf = (g: string, v: string) => (g === '' ? v : `${g}/${v}`)
  const apiVersion = apiVersionOf(group, version)
  const of = subresources.map((s) => ({
    name: s.subresource ?? '',
    kind: s.responseKind?.kind ?? '',
    apiVersion: s.responseKind?.version ? apiVersionOf(s.responseKind.group, s.responseKind.version) : apiVersion,
    verbs: s.verbs,
  }))
  return [
    {
      collection,
      plural,
      namespaced,
      apiVersion,
      kind,
      verbs,
      subresources: of,
      schemas,
      schema,
      samples: valid,
      tables: tables.get(collection) ?? [],
    },
  ]
}

const MOST_SAMPLES = 12

/** Objects that Kubernetes accepted when `cases/create` was recorded, by collection; and those of the custom kinds. */
function readSamples(): Map<string, JsonObject[]> {
  const samples = new Map<string, JsonObject[]>(Object.entries(CUSTOM_SAMPLES))
  const folder = path.join(upstream, 'cases', 'create')
  for (const file of readdirSync(folder).sort()) {
    const { cases } = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as { cases: { steps: RecordedStep[] }[] }
    const seen = new Set<string>()
    for (const { do: verb, path: address, body, expect } of cases.flatMap((c) => c.steps)) {
      const text = JSON.stringify(body)
      if (
        verb !== 'POST' ||
        address.includes('fieldValidation') ||
        expect?.code !== 201 ||
        !isObject(body) ||
        seen.has(text) ||
        seen.size === MOST_SAMPLES
      )
        continue
      seen.add(text)
      const collection = address.replace(/\?.*/, '')
      samples.set(collection, [...(samples.get(collection) ?? []), body])
    }
  }
  return samples
}

interface RecordedStep {
  readonly do: string
  readonly path: string
  readonly body?: Json
  readonly expect?: { readonly code: number }
}
