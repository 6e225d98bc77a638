import { AS_GO, encodeJson } from '../../../machinery/json/strict-json.ts'
import { asJson, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import type { Call, HandlerResult } from '../../handlers/call.ts'
import { convert } from '../../store/conversion.ts'
import { requestVersion } from '../../store/write.ts'
import { rowHead } from '../../tables/table.ts'
import type { Exchange } from '../exchange.ts'
import type { Headers } from '../headers.ts'
import type { ByteWriter } from './byte-writer.ts'
import { acceptsGzip, compress } from './compress.ts'
import { encode } from './encode.ts'
import { type ListResult, listForm } from './list-form.ts'
import { bodyHeaders, type Rendering, storedBytesServe, storedVersionServes } from './rendering.ts'
import { includeObject, isUnstructured, listKind, listMetadata, shapeList, shapeObject } from './shape.ts'
import { type Chunks, writeChunks } from './write-chunks.ts'
import { writeWatch } from './write-watch.ts'
import { isLarge, writeZippedList } from './write-zipped-list.ts'

/** Writes the result of a handler in the negotiated format. */
export async function writeResponse(exchange: Exchange, answer: HandlerResult, rendering: Rendering): Promise<void> {
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

async function writeItem(exchange: Exchange, code: number, item: StoredObject, rendering: Rendering): Promise<void> {
  if (storedBytesServe(rendering)) return send(exchange, code, bodyHeaders(rendering.headers, 'application/json'), item.jsonLine())
  const { call } = rendering
  return writeObject(exchange, code, await convert(call.served.definition, item.object, requestVersion(call)), rendering)
}

async function writeObject(exchange: Exchange, code: number, object: KubeObject, rendering: Rendering): Promise<void> {
  const { body, type } = await encode(shapeObject(object, rendering.call, rendering.format), rendering.format, rendering.call.deps.kinds)
  return send(exchange, code, bodyHeaders(rendering.headers, type), body)
}

/** Sends a whole response, compressed if it is large and the client accepts it. */
export async function send(exchange: Exchange, code: number, headers: Headers, body: string | Uint8Array): Promise<void> {
  const small = await compress(exchange.headers, body)
  if (small === undefined) return exchange.answer(code, headers, body)
  exchange.answer(code, { ...headers, 'content-encoding': 'gzip', vary: headers.vary ?? 'Accept-Encoding' }, small)
}

async function writeList(exchange: Exchange, listed: ListResult, rendering: Rendering): Promise<void> {
  const { call, format } = rendering
  const answer = format.as?.kind === 'Table' ? inRowOrder(listed, call) : listed
  const stream = listStream(answer, rendering)
  if (stream?.name !== undefined && acceptsGzip(exchange.headers) && isLarge(answer.items)) {
    const { head, tail, name, element } = stream
    const list = { head, tail, objects: answer.items, form: { name, element } }
    return writeZippedList(exchange, bodyHeaders(rendering.headers, 'application/json'), list, rendering.segments)
  }
  if (stream !== undefined)
    return writeChunks(exchange, bodyHeaders(rendering.headers, 'application/json'), { ...stream, items: answer.items })
  const form = await listForm(answer, rendering)
  if (form !== undefined) return writeChunks(exchange, bodyHeaders(rendering.headers, form.type), form.chunks)
  const { body, type } = await encode(shapeList([], answer, call, format), format, call.deps.kinds)
  return send(exchange, 200, bodyHeaders(rendering.headers, type), body)
}

function inRowOrder(answer: ListResult, { served: { definition } }: Call): ListResult {
  if (definition.rowOrder === undefined) return answer
  const { rowOrder } = definition
  return { ...answer, items: [...answer.items].sort((a, b) => rowOrder(a.object, b.object)) }
}

interface ListStream extends Omit<Chunks<StoredObject>, 'items'> {
  readonly head: string
  readonly tail: string
  /**
   * Identifies what is written of an object, if its revision alone determines that: not for tables (ages) and custom objects (their schema
   * may change).
   */
  readonly name?: string
}

/** Renders a list from the stored bytes of its items; undefined if they are not suitable. */
function listStream(answer: ListResult, { call, format }: Rendering): ListStream | undefined {
  const { as } = format
  if (!storedVersionServes(call, format)) return undefined
  // Some empty lists are null.
  if (as !== undefined && answer.items.length === 0) return undefined
  if (as === undefined) return isUnstructured(call) ? unstructuredStream(answer, call) : objectStream(answer, call)
  const include = as.kind === 'Table' ? includeObject(call) : 'Metadata'
  if (include === 'Metadata' && call.served.definition.internalMetadata !== undefined) return undefined
  const empty = shapeList([], answer, call, format) as JsonObject
  if (as.kind !== 'Table') {
    const name = `metadata ${as.version} ${groupOf(call)}`
    return { ...around(empty, 'items'), element: (item, out) => item.writeMetadata(out, as.version), name }
  }
  const { columns } = call.served.version
  const now = call.deps.clock.now()
  const element = (item: StoredObject, out: ByteWriter) => {
    const { object } = item
    out.text(`${encodeJson(asJson(rowHead(columns, object, now, call.served.definition)), AS_GO).slice(0, -1)},"object":`)
    if (include === 'None') out.text('null')
    else if (include === 'Object') item.writeJson(out)
    else item.writeMetadata(out, as.version)
    out.text('}')
  }
  return { ...around(empty, 'rows'), element }
}

function objectStream(answer: ListResult, call: Call): ListStream {
  const head = `{"kind":"${listKind(call)}","apiVersion":"${requestVersion(call)}","metadata":${JSON.stringify(listMetadata(call, answer))},"items":[`
  const name = `object ${groupOf(call)}`
  return { head, separator: ',', tail: ']}\n', element: (item, out) => item.writeListElement(out), name }
}

/** Custom objects are whole in their lists, whose keys are sorted. */
function unstructuredStream(answer: ListResult, call: Call): ListStream {
  const head = `{"apiVersion":"${requestVersion(call)}","items":[`
  const tail = `],"kind":"${listKind(call)}","metadata":${JSON.stringify(listMetadata(call, answer))}}\n`
  return { head, separator: ',', tail, element: (item, out) => item.writeJson(out) }
}

/** The JSON before and after the elements of a list; they are its last member. */
function around(empty: JsonObject, elements: 'items' | 'rows'): Pick<ListStream, 'head' | 'separator' | 'tail'> {
  const { [elements]: _, ...before } = empty
  return { head: `${encodeJson(before, AS_GO).slice(0, -1)},"${elements}":[`, separator: ',', tail: ']}\n' }
}

const groupOf = ({ served: { definition, version } }: Call) => `${definition.group}/${version.version}/${definition.names.plural}`
