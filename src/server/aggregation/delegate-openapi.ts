import { decodeJsonInTurns } from '../../machinery/json/strict-json.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { NetworkError } from '../services/network-error.ts'
import { headerOf } from './forward.ts'
import type { RemoteDelegate } from './remote-delegate.ts'

/** The user of this server's requests for OpenAPI documents. */
const READER = { name: 'system:aggregator', groups: [] }
const TIMEOUT_MS = 5_000
const MOST_INDEX_BYTES = 1024 * 1024
/** Size limit of a document. */
const MOST_DOCUMENT_BYTES = 16 * 1024 * 1024

/**
 * The URL (`serverRelativeURL`) of a delegate's OpenAPI v3 document of its group version. Undefined: it has none, or the request failed.
 */
export async function readIndex(delegate: RemoteDelegate): Promise<string | undefined> {
  if (!delegate.available) return undefined
  const { group = '', version } = delegate.spec
  try {
    const { status, body } = await delegate.get({ path: '/openapi/v3', user: READER, timeoutMs: TIMEOUT_MS }, MOST_INDEX_BYTES)
    if (status !== 200) return undefined
    const { value } = await decodeJsonInTurns(body.toString())
    const paths = isObject(value) ? value.paths : undefined
    const path = `apis/${group}/${version}`
    const entry = isObject(paths) && Object.hasOwn(paths, path) ? paths[path] : undefined
    const url = isObject(entry) ? entry.serverRelativeURL : undefined
    // A delegate may only refer to its own documents.
    return typeof url === 'string' && (url === `/openapi/v3/${path}` || url.startsWith(`/openapi/v3/${path}?`)) ? url : undefined
  } catch {
    return undefined
  }
}

export interface Document {
  readonly etag: string
  readonly value: JsonObject
}

/** A delegate's OpenAPI v2 document; the previous one if it has not changed, undefined if there is none. */
export async function readDocument(delegate: RemoteDelegate, before: Document | undefined): Promise<Document | undefined> {
  if (!delegate.available) return before
  const headers = { Accept: 'application/json', ...(before !== undefined && before.etag !== '' && { 'If-None-Match': before.etag }) }
  try {
    const answer = await delegate.get({ path: '/openapi/v2', user: READER, headers, timeoutMs: TIMEOUT_MS }, MOST_DOCUMENT_BYTES)
    if (answer.status === 304) return before
    if (answer.status !== 200) return undefined
    const { value } = await decodeJsonInTurns(answer.body.toString())
    return isObject(value) ? { etag: headerOf(answer.rawHeaders, 'etag') ?? '', value: ownPaths(value, delegate.spec) } : undefined
  } catch (error) {
    return error instanceof NetworkError ? before : undefined
  }
}

/** The part of a delegate's document for its group version: its paths, and the definitions that they refer to. */
export function ownPaths(document: JsonObject, { group = '', version }: { readonly group?: string; readonly version: string }): JsonObject {
  const root = `/apis/${group}/${version}/`
  const all = isObject(document.paths) ? document.paths : {}
  const paths = Object.fromEntries(Object.entries(all).filter(([path]) => `${path}/`.startsWith(root)))
  const parts: Record<string, Record<string, JsonObject[string]>> = {}
  for (const kind of ['definitions', 'parameters', 'responses']) parts[kind] = {}
  const seen = new Set<string>()
  const open: unknown[] = [paths]
  while (open.length > 0) {
    const value = open.pop()
    if (value === null || typeof value !== 'object') continue
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string') follow(inner)
      else open.push(inner)
    }
  }
  function follow(reference: string): void {
    const [kind = '', name = ''] = reference.startsWith('#/') ? reference.slice(2).split(/\/(.*)/s) : []
    const found = parts[kind]
    const from = document[kind]
    if (found === undefined || seen.has(reference) || !isObject(from) || !Object.hasOwn(from, name)) return
    seen.add(reference)
    const value = from[name]
    if (value === undefined) return
    Object.defineProperty(found, name, { value, enumerable: true, configurable: true, writable: true })
    open.push(value)
  }
  return { paths, ...parts } as JsonObject
}
