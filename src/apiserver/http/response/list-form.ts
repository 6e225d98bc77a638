import { AS_GO, encodeJson } from '../../../machinery/json/strict-json.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import type { HandlerResult } from '../../handlers/call.ts'
import { convertAll } from '../../store/conversion.ts'
import { requestVersion } from '../../store/write.ts'
import { tableRow } from '../../tables/table.ts'
import type { ByteWriter } from './byte-writer.ts'
import { encode, prettyJson, yamlText } from './encode.ts'
import type { Rendering } from './rendering.ts'
import { elementOf, includeObject, listElement, shapeList, shownColumns } from './shape.ts'
import { type Chunks, sliced } from './write-chunks.ts'

export type ListResult = Extract<HandlerResult, { kind: 'list' }>

/** A list in an encoding, form or version other than the stored one, rendered and written in slices. */
export interface ListForm {
  readonly chunks: Chunks<KubeObject>
  readonly type: string
}

/** Renders a list object by object; undefined for an empty list. */
export async function listForm(answer: ListResult, rendering: Rendering): Promise<ListForm | undefined> {
  if (answer.items.length === 0) return undefined
  const { format } = rendering
  const skeleton = await encode(shapeList([], { ...answer, items: [] }, rendering.call, format), format, rendering.call.deps.kinds)
  const source = await converted(answer, rendering)
  const of = formOf(rendering)
  if (format.encoding === 'protobuf') return { chunks: await protobufChunks(answer, rendering, source), type: skeleton.type }
  const { head, tail } = around(String(skeleton.body))
  if (format.encoding === 'yaml') {
    const yaml = await yamlElements(source, of)
    return { chunks: { head: `${head.trimEnd()}\n`, separator: '', tail: tail.trimStart(), ...yaml }, type: skeleton.type }
  }
  const pretty = (object: KubeObject, out: ByteWriter) => out.text(prettyJson(of(object)).replaceAll('\n', '\n    '))
  const plain = (object: KubeObject, out: ByteWriter) => out.text(encodeJson(of(object), AS_GO))
  const chunks = format.pretty
    ? { head: `${head}[\n    `, separator: ',\n    ', tail: `\n  ]${tail}`, ...source, element: pretty }
    : { head: `${head}[`, separator: ',', tail: `]${tail}`, ...source, element: plain }
  return { chunks, type: skeleton.type }
}

/** Smaller slices for YAML, which takes ten times as long to write as JSON. */
const YAML_SLICE_BYTES = 32 * 1024

/** The elements of a list in YAML; large ones are written in a worker thread in advance. */
async function yamlElements(
  source: Source,
  of: (object: KubeObject) => unknown,
): Promise<Omit<Chunks<KubeObject>, 'head' | 'separator' | 'tail'>> {
  const { encodeYaml } = await import('../../../machinery/yaml/yaml.ts')
  const written = new Map<KubeObject, string>()
  return {
    ...source,
    sliceBytes: YAML_SLICE_BYTES,
    async prepare(slice) {
      const objects = (await source.prepare?.(slice)) ?? []
      written.clear()
      for (const [i, object] of objects.entries())
        if ((slice[i]?.sizeBytes ?? 0) > YAML_SLICE_BYTES) written.set(object, await yamlText([of(object)]))
      return objects
    },
    element: (object, out) => out.text(written.get(object) ?? encodeYaml([of(object)])),
  }
}

/** The JSON or YAML before and after the elements of a list, from the rendering of an empty one. */
function around(text: string): { readonly head: string; readonly tail: string } {
  const found = /^(?: {2})?"?(?:items|rows)"?: ?(?=\[\]|null)/m.exec(text) ?? /"(?:items|rows)":(?=\[\]|null)/.exec(text)
  if (found === null) throw new Error('a list without a place for its elements')
  const at = found.index + found[0].length
  return { head: text.slice(0, at), tail: text.slice(at).replace(/^(?:\[\]|null)/, '') }
}

type Source = Pick<Chunks<KubeObject>, 'items' | 'prepare'>

/** The objects in the requested version. A webhook gets all of them in one call; conversions in this process run slice by slice. */
async function converted({ items }: ListResult, { call }: Rendering): Promise<Source> {
  const { definition } = call.served
  const version = requestVersion(call)
  if (definition.customDefinition === undefined || definition.convert === undefined) {
    return {
      items,
      prepare: (slice) =>
        convertAll(
          definition,
          slice.map((item) => item.object),
          version,
        ),
    }
  }
  const all = await convertAll(
    definition,
    items.map((item) => item.object),
    version,
  )
  const byItem = new Map(items.map((item, i) => [item, all[i]]))
  return { items, prepare: (slice) => slice.map((item) => byItem.get(item) ?? item.object) }
}

/** Renders one object as an element of the list. */
function formOf({ call, format: { as } }: Rendering): (object: KubeObject) => unknown {
  if (as?.kind !== 'Table') return (object) => listElement(object, call, as)
  const columns = shownColumns(call)
  const options = { include: includeObject(call), metaVersion: as.version, definition: call.served.definition }
  const now = call.deps.clock.now()
  return (object) => tableRow(columns, object, now, options)
}

/**
 * Most bytes of messages that the first pass keeps; of longer lists it keeps only the lengths, and the messages are made again when they
 * are written.
 */
const KEPT_BYTES = 1024 * 1024
/** The length of the message of an object at one revision. */
const lengths = new WeakMap<StoredObject, { readonly form: string; readonly length: number }>()

async function protobufChunks(answer: ListResult, rendering: Rendering, source: Source): Promise<Chunks<KubeObject>> {
  const { call, format } = rendering
  const [{ messageOf }, { itemsTag, listFrame, listItemHead, listItemLength }] = await Promise.all([
    import('../../handlers/body/protobuf.ts'),
    import('../../../machinery/protobuf/list-parts.ts'),
  ])
  const { kinds } = call.deps
  const shape = elementOf(call, format.as)
  const message = (object: KubeObject) => messageOf(kinds, shape(object) as JsonObject)
  const form = `${requestVersion(call)} ${format.as?.version ?? ''}`
  const kept = new Map<KubeObject, Buffer>()
  let keptBytes = 0
  let total = 0
  for await (const slice of sliced(source.items)) {
    const unknown = slice.filter((item) => lengths.get(item)?.form !== form)
    const objects = (await source.prepare?.(unknown)) ?? []
    for (const [i, item] of unknown.entries()) {
      const object = objects[i] ?? item.object
      const bytes = message(object)
      lengths.set(item, { form, length: bytes.length })
      keptBytes += bytes.length
      if (keptBytes <= KEPT_BYTES) kept.set(object, bytes)
    }
    for (const item of slice) total += listItemLength(lengths.get(item)?.length ?? 0)
  }
  const whole = shapeList([], answer, call, format) as JsonObject
  const type = { apiVersion: String(whole.apiVersion), kind: String(whole.kind) }
  const { head, tail } = listFrame(type, messageOf(kinds, { ...whole, items: [] }), total)
  const element = (object: KubeObject, out: ByteWriter) => {
    const bytes = kept.get(object) ?? message(object)
    out.bytes(listItemHead(bytes.length, itemsTag(type)))
    out.bytes(bytes)
  }
  return { head, separator: '', tail, ...source, element }
}
