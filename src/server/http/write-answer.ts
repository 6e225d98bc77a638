import type { KubeObject } from '../../machinery/object.ts'
import { type Answer, requestVersion } from '../handlers/call.ts'
import { convert, convertAll } from '../handlers/conversion.ts'
import type { Item } from '../registry/item.ts'
import { compress } from './compress.ts'
import { encode } from './encode.ts'
import type { Exchange, Headers } from './exchange.ts'
import { bodyHeaders, type Rendering, storedBytesServe } from './rendering.ts'
import { listKind, listMetadata, shapeList, shapeObject } from './shape.ts'
import { writeChunks } from './write-chunks.ts'
import { writeWatch } from './write-watch.ts'

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

async function writeItem(exchange: Exchange, code: number, item: Item, rendering: Rendering): Promise<void> {
  if (storedBytesServe(rendering)) return send(exchange, code, bodyHeaders(rendering.headers, 'application/json'), item.json())
  const { call } = rendering
  return writeObject(exchange, code, await convert(call.served.definition, item.object, requestVersion(call)), rendering)
}

async function writeObject(exchange: Exchange, code: number, object: KubeObject, rendering: Rendering): Promise<void> {
  const { body, type } = await encode(shapeObject(object, rendering.call, rendering.format), rendering.format)
  return send(exchange, code, bodyHeaders(rendering.headers, type), body)
}

/** Sends a whole answer, compressed when it is large and the client can read it. */
export async function send(exchange: Exchange, code: number, headers: Headers, body: string | Uint8Array): Promise<void> {
  const small = await compress(exchange.headers, body)
  if (small === undefined) return exchange.answer(code, headers, body)
  exchange.answer(code, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' }, small)
}

type ListAnswer = Extract<Answer, { kind: 'list' }>

async function writeList(exchange: Exchange, answer: ListAnswer, rendering: Rendering): Promise<void> {
  const { call, format } = rendering
  const { definition } = call.served
  if (storedBytesServe(rendering)) {
    const head = `{"kind":"${listKind(call)}","apiVersion":"${requestVersion(call)}","metadata":${JSON.stringify(listMetadata(call, answer))},"items":[`
    const custom = definition.customDefinition !== undefined
    const element = custom ? (item: Item) => item.json() : (item: Item) => item.listElement()
    return writeChunks(exchange, bodyHeaders(rendering.headers, 'application/json'), { head, tail: ']}\n', items: answer.items, element })
  }
  const objects = await convertAll(
    definition,
    answer.items.map((item) => item.object),
    requestVersion(call),
  )
  const { body, type } = await encode(shapeList(objects, answer, call, format), format)
  return send(exchange, 200, bodyHeaders(rendering.headers, type), body)
}
