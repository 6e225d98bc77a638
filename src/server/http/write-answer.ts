import { apiVersionOf, type KubeObject } from '../../machinery/object.ts'
import { badRequest } from '../../machinery/status-error.ts'
import type { Answer, Call } from '../handlers/call.ts'
import { requestVersion } from '../handlers/call.ts'
import { convert, storageApiVersion } from '../handlers/conversion.ts'
import type { Item } from '../registry/item.ts'
import { toJson } from '../registry/object-bytes.ts'
import { columnDefinitions, partialMetadata, type RowObject, tableRow } from '../tables/table.ts'
import type { Exchange, Headers } from './exchange.ts'
import type { Format } from './negotiate.ts'
import { writeWatch } from './write-watch.ts'

const CHUNK = 256 * 1024

export interface Rendering {
  readonly call: Call
  readonly format: Format
  readonly headers: Headers
}

/** Writes what a handler answered, in the form that was negotiated. */
export async function writeAnswer(exchange: Exchange, answer: Answer, rendering: Rendering): Promise<void> {
  switch (answer.kind) {
    case 'raw':
      return exchange.answer(answer.code, { ...rendering.headers, ...answer.headers }, answer.body)
    case 'watch':
      return writeWatch(exchange, answer.session, rendering)
    case 'item':
      return writeItem(exchange, answer.code, answer.item, rendering)
    case 'object':
      return writeObject(exchange, answer.code, answer.object, rendering)
    case 'list':
      return writeList(exchange, answer, rendering)
  }
}

/** True when the stored bytes can be sent as they are. */
function storedBytesServe({ call, format }: Rendering): boolean {
  if (format.as !== undefined || format.encoding !== 'json' || format.pretty) return false
  return storageApiVersion(call.deps.definitions, call.served.definition) === requestVersion(call)
}

async function writeItem(exchange: Exchange, code: number, item: Item, rendering: Rendering): Promise<void> {
  if (storedBytesServe(rendering)) return exchange.answer(code, jsonHeaders(rendering.headers), item.json())
  const { call } = rendering
  return writeObject(exchange, code, await convert(call.served.definition, item.object, requestVersion(call)), rendering)
}

async function writeObject(exchange: Exchange, code: number, object: KubeObject, rendering: Rendering): Promise<void> {
  const { body, type } = await encode(shaped(object, rendering), rendering.format)
  exchange.answer(code, { ...rendering.headers, 'content-type': type, 'cache-control': 'no-cache, private' }, body)
}

const jsonHeaders = (headers: Headers): Headers => ({
  ...headers,
  'content-type': 'application/json',
  'cache-control': 'no-cache, private',
})

/** The object in the form that was asked for: itself, its metadata, a table of one row. */
function shaped(object: KubeObject, { call, format }: Rendering): unknown {
  const { as } = format
  if (as === undefined || object.kind === 'Status') return object
  if (as.kind === 'Table') {
    const include = includeObject(call)
    const row = tableRow(call.served.version, object, call.deps.clock.now(), include)
    return {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${as.version}`,
      metadata: { resourceVersion: object.metadata.resourceVersion },
      columnDefinitions: columnDefinitions(call.served.version),
      rows: [row],
    }
  }
  return partialMetadata(object, as.version)
}

export function includeObject(call: Call): RowObject {
  const asked = call.query.get('includeObject') ?? ''
  if (asked === '' || asked === 'Metadata') return 'Metadata'
  if (asked === 'None' || asked === 'Object') return asked
  throw badRequest(`unrecognized includeObject value: ${JSON.stringify(asked)}`)
}

/** A value as text in the format's encoding. */
export async function encode(value: unknown, format: Format): Promise<{ body: string; type: string }> {
  if (format.pretty) return { body: `${JSON.stringify(JSON.parse(toJson(value)), null, 2)}\n`, type: 'application/json' }
  return { body: toJson(value), type: 'application/json' }
}

type ListAnswer = Extract<Answer, { kind: 'list' }>

async function writeList(exchange: Exchange, answer: ListAnswer, rendering: Rendering): Promise<void> {
  const { call, format } = rendering
  const { definition, version } = call.served
  if (storedBytesServe(rendering)) {
    const listKind = definition.names.listKind ?? `${definition.names.kind}List`
    const apiVersion = apiVersionOf({ group: definition.group, version: version.version })
    const head = `{"kind":"${listKind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(answer.metadata)},"items":[`
    const custom = definition.customDefinition !== undefined
    const element = custom ? (item: Item) => item.json() : (item: Item) => item.listElement()
    return writeChunks(exchange, rendering, { head, tail: ']}\n', items: answer.items, element })
  }
  const objects: KubeObject[] = []
  for (const item of answer.items) objects.push(await convert(definition, item.object, requestVersion(call)))
  const { body, type } = await encode(listObject(objects, answer, rendering), format)
  exchange.answer(200, { ...rendering.headers, 'content-type': type, 'cache-control': 'no-cache, private' }, body)
}

function listObject(objects: readonly KubeObject[], answer: ListAnswer, { call, format }: Rendering): unknown {
  const { definition, version } = call.served
  const { as } = format
  if (as?.kind === 'Table') {
    const include = includeObject(call)
    const now = call.deps.clock.now()
    return {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${as.version}`,
      metadata: answer.metadata,
      columnDefinitions: columnDefinitions(version),
      rows: objects.map((o) => tableRow(version, o, now, include)),
    }
  }
  if (as !== undefined) {
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: `meta.k8s.io/${as.version}`,
      metadata: answer.metadata,
      items: objects.map((o) => partialMetadata(o, as.version)),
    }
  }
  const items = definition.customDefinition === undefined ? objects.map(({ apiVersion: _a, kind: _k, ...rest }) => rest) : objects
  return {
    kind: definition.names.listKind ?? `${definition.names.kind}List`,
    apiVersion: requestVersion(call),
    metadata: answer.metadata,
    items,
  }
}

interface Chunks {
  readonly head: string
  readonly tail: string
  readonly items: readonly Item[]
  readonly element: (item: Item) => Buffer
}

const COMMA = Buffer.from(',')

/** Small lists leave at once; large ones in chunks, with a turn for others in between. */
async function writeChunks(exchange: Exchange, rendering: Rendering, { head, tail, items, element }: Chunks): Promise<void> {
  let parts: Buffer[] = [Buffer.from(head)]
  let size = parts[0]?.length ?? 0
  let started = false
  let gone = false
  exchange.onClose(() => {
    gone = true
  })
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (item === undefined) continue
    const bytes = element(item)
    if (i > 0) parts.push(COMMA)
    parts.push(bytes)
    size += bytes.length + 1
    if (size < CHUNK) continue
    if (!started) exchange.start(200, jsonHeaders(rendering.headers))
    started = true
    const flowing = exchange.write(Buffer.concat(parts))
    parts = []
    size = 0
    await (flowing ? new Promise<void>((resolve) => setImmediate(resolve)) : drained(exchange))
    if (gone) return
  }
  parts.push(Buffer.from(tail))
  const rest = Buffer.concat(parts)
  if (!started) return exchange.answer(200, jsonHeaders(rendering.headers), rest)
  exchange.write(rest)
  exchange.end()
}

/** Resolves when the client has taken what was written, or went away. */
export function drained(exchange: Exchange): Promise<void> {
  return new Promise((resolve) => {
    exchange.onDrain(resolve)
    exchange.onClose(resolve)
  })
}
