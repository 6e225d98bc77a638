import { byKey } from '../../base/by-text.ts'
import { inTurns } from '../../base/steps.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Kinds } from '../kinds.ts'
import { documentHash } from './document.ts'
import { fingerprint } from './fingerprint.ts'
import { encodeGnosticV3 } from './gnostic-v3.ts'
import { openapiV3, openapiV3Discovery, openapiV3Plain } from './openapi-v3.ts'
import { type V2Document, v2Document, v2Protobuf } from './v2-document.ts'

/** One document as it is sent. */
export interface OpenapiDocument {
  /** Made once and shared by all requests, so that a slow client costs no copy. */
  readonly bytes: Buffer
  /** Changes with the text; it is the ETag, and part of the URLs of the index. */
  readonly hash: string
}

/** A document in the protobuf of gnostic-models. */
export interface OpenapiBytes {
  readonly bytes: Buffer
  readonly hash: string
}

/**
 * The OpenAPI documents of the served resources. Each is made by the first request, and kept until the definitions of its group version
 * change.
 */
export interface OpenapiDocuments {
  /** `/openapi/v3`: the index of documents. */
  index(): OpenapiDocument
  /** `/openapi/v3/PATH`, with `api/v1`, `apis/apps/v1`, `apis/apps`, `version`; undefined if it does not exist. */
  v3(path: string): OpenapiDocument | undefined
  /** The same in protobuf; its hash is that of the text. */
  v3Protobuf(path: string): OpenapiBytes | undefined
  /** `/openapi/v2`. */
  v2(): Promise<OpenapiDocument>
  /** The same in protobuf; its hash is that of the text. */
  v2Protobuf(): Promise<OpenapiBytes>
}

/** The definitions that the documents show, and a number that changes with them. */
export interface DefinitionSource {
  readonly generation: number
  all(): readonly ResourceDefinition[]
}

/** The documents of servers that serve some of the paths. */
export interface DelegateSource {
  readonly generation: number
  /** Path → `serverRelativeURL`. */
  openapiV3(): ReadonlyMap<string, string>
  /** In order of their priority. */
  openapiV2(): readonly JsonObject[]
}

export function createOpenapiDocuments(kinds: Kinds, source: DefinitionSource, delegates?: DelegateSource): OpenapiDocuments {
  const v3Cache = new Map<string, OpenapiDocument>()
  const v3Messages = new WeakMap<OpenapiDocument, OpenapiBytes>()
  let sources: { readonly generation: number; readonly of: ReadonlyMap<string, readonly ResourceDefinition[]> } | undefined
  let v2Cache: { readonly generation: string; readonly document: Promise<V2Document>; protobuf?: Promise<Buffer> } | undefined

  /** Each document with the definitions that it shows. */
  const documents = () => {
    if (sources?.generation !== source.generation) {
      sources = { generation: source.generation, of: byPath(source.all()) }
      for (const path of v3Cache.keys()) if (!sources.of.has(path)) v3Cache.delete(path)
    }
    return sources.of
  }
  const v3 = (path: string): OpenapiDocument | undefined => {
    const of = documents().get(path)
    if (of === undefined) return undefined
    const hash = fingerprint(kinds, path, of)
    const cached = v3Cache.get(path)
    if (cached?.hash === hash) return cached
    const gv = groupVersionOf(path)
    const document = { bytes: Buffer.from(JSON.stringify(gv === undefined ? openapiV3Path(kinds, path) : openapiV3(kinds, of, gv))), hash }
    v3Cache.set(path, document)
    return document
  }
  /** Requests that come while it is made wait for the same one. */
  const v2 = () => {
    const generation = `${source.generation} ${delegates?.generation}`
    if (v2Cache?.generation !== generation)
      v2Cache = { generation, document: inTurns(v2Document(kinds, source.all(), delegates?.openapiV2() ?? [])) }
    return v2Cache
  }
  return {
    v3,
    v3Protobuf: (path) => {
      const document = v3(path)
      if (document === undefined) return undefined
      const known = v3Messages.get(document)
      if (known !== undefined) return known
      const message = { bytes: encodeGnosticV3(JSON.parse(document.bytes.toString()) as JsonObject), hash: document.hash }
      v3Messages.set(document, message)
      return message
    },
    index: () => {
      const urls = new Map([...documents()].map(([path, of]) => [path, `/openapi/v3/${path}?hash=${fingerprint(kinds, path, of)}`]))
      for (const [path, url] of delegates?.openapiV3() ?? []) urls.set(path, url)
      const sorted = [...urls].sort(byKey)
      return finish({ paths: Object.fromEntries(sorted.map(([path, url]) => [path, { serverRelativeURL: url }])) })
    },
    v2: () => v2().document,
    v2Protobuf: async () => {
      const cached = v2()
      const document = await cached.document
      cached.protobuf ??= inTurns(v2Protobuf(document))
      return { bytes: await cached.protobuf, hash: document.hash }
    },
  }
}

function finish(json: JsonObject): OpenapiDocument {
  const text = JSON.stringify(json)
  return { bytes: Buffer.from(text), hash: documentHash(text) }
}

/** Paths of documents without definitions. */
const PLAIN = ['.well-known/openid-configuration', 'api', 'apis', 'openid/v1/jwks', 'version']

function byPath(definitions: readonly ResourceDefinition[]): ReadonlyMap<string, readonly ResourceDefinition[]> {
  const found = new Map<string, ResourceDefinition[]>(PLAIN.map((path) => [path, []]))
  for (const definition of definitions) {
    const { group } = definition
    for (const { version, served } of definition.versions) {
      if (!served) continue
      // The groups of custom resources have no document of their own.
      if (group !== '' && definition.customDefinition === undefined) found.set(`apis/${group}`, [])
      const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
      const of = found.get(path)
      if (of) of.push(definition)
      else found.set(path, [definition])
    }
  }
  return new Map([...found].sort(byKey))
}

function groupVersionOf(path: string): { group: string; version: string } | undefined {
  const parts = path.split('/')
  if (parts[0] === 'api' && parts.length === 2) return { group: '', version: parts[1] ?? '' }
  return parts[0] === 'apis' && parts.length === 3 ? { group: parts[1] ?? '', version: parts[2] ?? '' } : undefined
}

function openapiV3Path(kinds: Kinds, path: string): JsonObject {
  if (path === 'api' || path === 'apis') return openapiV3Discovery(kinds, `/${path}`)
  return path.startsWith('apis/') ? openapiV3Discovery(kinds, `/apis/${path.slice('apis/'.length)}`) : openapiV3Plain(kinds, path)
}
