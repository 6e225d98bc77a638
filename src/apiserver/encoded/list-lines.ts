import { encodeJson } from '../../machinery/json/strict-json.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { Call, HandlerResult } from '../handlers/call.ts'
import { ByteWriter } from '../http/response/byte-writer.ts'
import { listKind } from '../http/response/shape.ts'
import { sliced } from '../http/response/write-chunks.ts'
import { convertAll } from '../store/conversion.ts'
import { requestVersion } from '../store/write.ts'
import { storedServes } from './object-text.ts'

const SLICE_BYTES = 256 * 1024

/** A list as lines: first the list without its items, then each item as a whole. Yields to other work between slices. */
export async function* linesOfList(call: Call, answer: HandlerResult): AsyncGenerator<string | Uint8Array> {
  if (answer.kind === 'object') return yield* linesOfObject(answer.object)
  if (answer.kind !== 'list') throw new StatusError({ code: 500, message: 'a list was answered otherwise' })
  yield line({ kind: listKind(call), apiVersion: requestVersion(call), metadata: answer.metadata })
  const write = storedServes(call) ? storedLines : convertedLines
  for await (const items of sliced(answer.items)) yield await write(call, items)
}

/** The same for a list that a delegate has returned. */
export async function* linesOfObject(object: KubeObject & { readonly items?: readonly unknown[] }): AsyncGenerator<string> {
  const { items = [], ...head } = object
  yield line(head)
  for (const item of items) yield line(item)
}

function storedLines(_call: Call, items: readonly StoredObject[]): Uint8Array {
  const out = new ByteWriter(SLICE_BYTES)
  for (const item of items) {
    item.writeJson(out)
    out.text('\n')
  }
  return out.end()
}

async function convertedLines(call: Call, items: readonly StoredObject[]): Promise<string> {
  const objects = await convertAll(
    call.served.definition,
    items.map((item) => item.object),
    requestVersion(call),
  )
  return objects.map(line).join('')
}

const line = (value: unknown): string => `${encodeJson(value)}\n`
