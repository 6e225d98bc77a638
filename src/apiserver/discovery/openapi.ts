import type { Clock } from '../../base/clock.ts'
import type { ResourceRegistry } from '../cache/resource-registry.ts'
import type { DelegateServers } from '../delegate-server.ts'
import type { Kinds } from '../kinds.ts'
import type { OpenapiDocuments } from '../openapi/openapi-documents.ts'
import type { PlainRequest, PlainResponse } from '../request/plain-paths.ts'

interface OpenapiDeps {
  readonly kinds: Kinds
  readonly definitions: ResourceRegistry
  readonly delegates?: DelegateServers | undefined
  readonly clock: Clock
}

const NOTHING: PlainResponse['headers'] = {}

/** `/openapi/v2` and `/openapi/v3/…`; the code and the documents are loaded by the first request. */
export function openapiPaths({
  kinds,
  definitions,
  delegates,
  clock,
}: OpenapiDeps): (request: PlainRequest) => Promise<PlainResponse | undefined> {
  let documents: Promise<OpenapiDocuments> | undefined
  return async (request) => {
    const { path } = request
    if (path !== '/openapi/v2' && path !== '/openapi/v3' && !path.startsWith('/openapi/v3/')) return undefined
    documents ??= import('../openapi/openapi-documents.ts').then((m) => m.createOpenapiDocuments(kinds, definitions, delegates))
    return answer(request, await documents, clock.now())
  }
}

async function answer(request: PlainRequest, documents: OpenapiDocuments, now: number): Promise<PlainResponse> {
  const { path } = request
  if (path === '/openapi/v3') return index(documents.index().bytes)
  const protobuf = await protobufOf(request, documents, now)
  if (protobuf !== undefined) return protobuf
  if (!acceptsJson(request.headers.accept)) return { code: 406, headers: NOTHING, body: '' }
  const found = path === '/openapi/v2' ? await documents.v2() : documents.v3(path.slice('/openapi/v3/'.length))
  if (found === undefined) return { code: 404, headers: NOTHING, body: '' }
  return document(request, found, { type: 'application/json', now })
}

const index = (body: Buffer): PlainResponse => ({ code: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body })

/** Whether the client has the document: `*` and weak tags count, as in Go's `http.ServeContent`. */
const isKnown = (header: string | undefined, etag: string) =>
  header?.split(',').some((part) => part.trim() === '*' || part.trim().replace(/^W\//, '') === etag) === true

/** A document that clients may cache forever under its hash and revalidate by its ETag. */
function document(
  request: PlainRequest,
  { bytes, hash }: { readonly bytes: Buffer; readonly hash: string },
  { type, now }: { readonly type: string; readonly now: number },
): PlainResponse {
  const etag = `"${hash}"`
  const requested = request.query.get('hash')
  if (requested !== undefined && requested !== hash && type === 'application/json') {
    return { code: 301, headers: { location: `${request.path}?hash=${hash}` }, body: '' }
  }
  const caching =
    requested === hash ? { 'cache-control': 'public, immutable', expires: inAYear(now) } : { 'cache-control': 'no-cache, private' }
  const headers = { etag, ...caching, vary: 'Accept-Encoding, Accept' }
  if (isKnown(request.headers['if-none-match'], etag)) return { code: 304, headers, body: '' }
  return { code: 200, headers: { 'content-type': type, ...headers }, body: bytes }
}

function inAYear(now: number): string {
  const date = new Date(now)
  date.setUTCFullYear(date.getUTCFullYear() + 1)
  return date.toUTCString().replace('GMT', 'UTC')
}

const acceptsJson = (accept: string | undefined) =>
  accept === undefined ||
  accept === '' ||
  accept.split(',').some((part) => ['application/json', 'application/*', '*/*'].includes((part.split(';')[0] ?? '').trim()))

/** The document in protobuf, for clients in Go. */
async function protobufOf(request: PlainRequest, documents: OpenapiDocuments, now: number): Promise<PlainResponse | undefined> {
  const version = request.path === '/openapi/v2' ? 'v2' : 'v3'
  const type = `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`
  const { accept } = request.headers
  if (accept === undefined || acceptsJson(accept) || !accept.replace(`${version}@v1.0`, `${version}.v1.0`).includes(type)) return undefined
  const found = version === 'v2' ? await documents.v2Protobuf() : documents.v3Protobuf(request.path.slice('/openapi/v3/'.length))
  return found && document(request, found, { type, now })
}
