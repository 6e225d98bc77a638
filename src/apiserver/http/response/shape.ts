import { goQuote } from '../../../machinery/field-error.ts'
import { asJson, type JsonObject, type KubeObject, parseApiVersion } from '../../../machinery/object.ts'
import type { PrinterColumn } from '../../../machinery/resource/definition.ts'
import { inGoOrder } from '../../../machinery/resource/go-order.ts'
import { sortedKeys } from '../../../machinery/sorted-keys.ts'
import { badRequest, StatusError } from '../../../machinery/status-error.ts'
import { internalPackage } from '../../handlers/body/receive.ts'
import type { Call, HandlerResult } from '../../handlers/call.ts'
import { requestVersion } from '../../store/write.ts'
import { scaleColumns } from '../../tables/scale-columns.ts'
import { columnDefinitions, partialMetadata, type RowObject, tableRow } from '../../tables/table.ts'
import type { Format } from './negotiate.ts'

/** Reads `includeObject`: how much of each object the rows of a table contain. */
export function includeObject(call: Call): RowObject {
  const wanted = call.request.query.get('includeObject') ?? ''
  if (wanted === '' || wanted === 'Metadata') return 'Metadata'
  if (wanted === 'None' || wanted === 'Object') return wanted
  const why = `includeObject: Invalid value: ${goQuote(wanted)}: must be 'Metadata', 'Object', 'None', or empty`
  throw badRequest(`Unable to convert to Table as requested: ${why}`)
}

/** Go's name of the internal type of a list of built-in objects or of custom ones, for error messages. */
const goListType = (call: Call) => {
  const { group, names } = call.served.definition
  return isUnstructured(call) ? '*unstructured.UnstructuredList' : `*${internalPackage(group)}.${names.kind}List`
}

/** The same of an object. A custom resource's scale is none of the internal types. */
const goObjectType = (call: Call, { apiVersion, kind }: KubeObject) =>
  isUnstructured(call) ? `*v1.${kind}` : `*${internalPackage(parseApiVersion(apiVersion)?.group ?? '')}.${kind}`

const notAcceptable = (message: string) => new StatusError({ code: 406, reason: 'NotAcceptable', message })

/** True for a collection whose objects Go keeps as maps, and writes with sorted keys. */
export const isUnstructured = (call: Call): boolean => call.served.definition.customDefinition !== undefined

/** One object in the requested form: itself, its metadata, or a table of one row. */
export function shapeObject(object: KubeObject, call: Call, { as }: Format): unknown {
  if (as === undefined) return inGoOrder(object, call.served.definition)
  if (object.kind === 'Status' && object.apiVersion === 'v1') return object
  if (as.kind === 'Table') return table(call, as.version, revisionOf(object), [object])
  if (as.kind === 'PartialObjectMetadataList') {
    if (isUnstructured(call) && call.subresource?.kind !== 'scale') throw new StatusError({ code: 500, message: 'content is not a list' })
    throw notAcceptable(`you requested PartialObjectMetadataList, but the requested object is not a list (${goObjectType(call, object)})`)
  }
  return partialMetadata(object, as.version, call.served.definition)
}

/** The metadata of a table of one object; a dry run has no revision. */
export const revisionOf = ({ metadata: { resourceVersion } }: KubeObject): object => (resourceVersion ? { resourceVersion } : {})

/** A list in the requested form. */
export function shapeList(
  objects: readonly KubeObject[],
  answer: Extract<HandlerResult, { kind: 'list' }>,
  call: Call,
  { as }: Format,
): unknown {
  if (as?.kind === 'Table') return table(call, as.version, answer.metadata, objects)
  if (as?.kind === 'PartialObjectMetadata') {
    throw notAcceptable(`you requested PartialObjectMetadata, but the requested object is a list (${goListType(call)})`)
  }
  if (as !== undefined) {
    // Go writes an empty (nil) slice as null.
    const items = answer.items.length === 0 ? null : objects.map((o) => listElement(o, call, as))
    return { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${as.version}`, metadata: answer.metadata, items }
  }
  const items = objects.map((o) => listElement(o, call, as))
  const list = { kind: listKind(call), apiVersion: requestVersion(call), metadata: listMetadata(call, answer) }
  if (!isUnstructured(call)) return { ...list, items }
  return { apiVersion: list.apiVersion, items, kind: list.kind, metadata: list.metadata }
}

/** One object as an element of a list: elements of built-in kinds have no kind. */
export function listElement(object: KubeObject, call: Call, as: Format['as']): unknown {
  if (as !== undefined) return partialMetadata(object, as.version, call.served.definition)
  if (isUnstructured(call)) return inGoOrder(object, call.served.definition)
  const { apiVersion: _a, kind: _k, ...rest } = object
  return rest
}

/** The element with its kind, which selects its protobuf message. */
export const elementOf =
  (call: Call, as: Format['as']) =>
  (object: KubeObject): unknown =>
    as === undefined
      ? { ...object, apiVersion: requestVersion(call), kind: call.served.definition.names.kind }
      : partialMetadata(object, as.version, call.served.definition)

/** Lists of custom resources always contain `continue`. */
export const listMetadata = (call: Call, { metadata }: Extract<HandlerResult, { kind: 'list' }>): object =>
  isUnstructured(call) ? asJson(sortedKeys({ continue: '', ...metadata }) as JsonObject) : metadata

export const listKind = ({ served: { definition } }: Call) => definition.names.listKind ?? `${definition.names.kind}List`

export const shownColumns = (call: Call) =>
  call.subresource?.kind === 'scale' ? scaleColumns(call.deps.kinds, { isCustom: isUnstructured(call) }) : call.served.version.columns

/** A `meta.k8s.io Table`; `declared: false` leaves the declarations out (later events of a watch). */
export function table(call: Call, version: string, metadata: object, objects: readonly KubeObject[], declared = true): unknown {
  const include = includeObject(call)
  const columns = shownColumns(call)
  const now = call.deps.clock.now()
  const rows = objects.map((o) => tableRow(columns, o, now, { include, metaVersion: version, definition: call.served.definition }))
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: declared ? columnDefinitions(columns) : null,
    rows: rows.length === 0 && hasDefaultColumns(columns) ? null : rows,
  }
}

/** Whether the kind has no columns of its own; Kubernetes' tables of no such objects have `rows: null`. */
const hasDefaultColumns = (columns: readonly PrinterColumn[]) => columns.some(({ name }) => name === 'Created At')
