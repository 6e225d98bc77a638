import type { Json, JsonObject } from '../../machinery/object.ts'
import { BYTES, FIXED64, ReverseWriter, VARINT } from '../../machinery/protobuf/wire.ts'

/**
 * The v2 document as clients in Go read it: the protobuf of github.com/google/gnostic-models. Only what our documents say is written.
 */
export function encodeGnosticV2(document: JsonObject): Buffer {
  const writer = new ReverseWriter(1 << 20)
  writeMessage('Document', document, writer)
  return writer.finish()
}

/** How one key of a JSON object is written: a scalar, or a message by name. `*` repeats it. */
type FieldKind = 'string' | 'bool' | 'strings' | 'any' | 'anys' | 'double' | 'int' | Message | `${Message}*`
type Message = keyof typeof MESSAGES

/** JSON key → number and kind. `x-` gathers the vendor extensions, `*` all keys as named values. */
const MESSAGES = {
  Document: {
    swagger: [1, 'string'],
    info: [2, 'Info'],
    paths: [8, 'Paths'],
    definitions: [9, 'Definitions'],
    parameters: [10, 'ParameterDefinitions'],
    security: [12, 'SecurityRequirement*'],
    securityDefinitions: [13, 'SecurityDefinitions'],
    'x-': [16, 'any'],
  },
  Info: { title: [1, 'string'], version: [2, 'string'], description: [3, 'string'], 'x-': [7, 'any'] },
  Paths: { '*': [2, 'PathItem'] },
  Definitions: { '*': [1, 'Schema'] },
  Properties: { '*': [1, 'Schema'] },
  ParameterDefinitions: { '*': [1, 'Parameter'] },
  SecurityRequirement: { '*': [1, 'StringArray'] },
  SecurityDefinitions: { '*': [1, 'SecurityDefinition'] },
  SecurityDefinition: { '=': [2, 'ApiKeySecurity'] },
  ApiKeySecurity: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'], 'x-': [5, 'any'] },
  PathItem: {
    get: [2, 'Operation'],
    put: [3, 'Operation'],
    post: [4, 'Operation'],
    delete: [5, 'Operation'],
    options: [6, 'Operation'],
    head: [7, 'Operation'],
    patch: [8, 'Operation'],
    parameters: [9, 'ParametersItem*'],
    'x-': [10, 'any'],
  },
  Operation: {
    tags: [1, 'strings'],
    summary: [2, 'string'],
    description: [3, 'string'],
    operationId: [5, 'string'],
    produces: [6, 'strings'],
    consumes: [7, 'strings'],
    parameters: [8, 'ParametersItem*'],
    responses: [9, 'Responses'],
    schemes: [10, 'strings'],
    deprecated: [11, 'bool'],
    'x-': [13, 'any'],
  },
  ParametersItem: { '=': [1, 'Parameter'], $ref: [2, 'JsonReference'] },
  JsonReference: { $ref: [1, 'string'], description: [2, 'string'] },
  Parameter: { body: [1, 'BodyParameter'], '=': [2, 'NonBodyParameter'] },
  NonBodyParameter: { query: [3, 'QueryParameter'], path: [4, 'PathParameter'] },
  BodyParameter: {
    description: [1, 'string'],
    name: [2, 'string'],
    in: [3, 'string'],
    required: [4, 'bool'],
    schema: [5, 'Schema'],
    'x-': [6, 'any'],
  },
  QueryParameter: {
    required: [1, 'bool'],
    in: [2, 'string'],
    description: [3, 'string'],
    name: [4, 'string'],
    type: [6, 'string'],
    format: [7, 'string'],
    uniqueItems: [20, 'bool'],
    'x-': [23, 'any'],
  },
  PathParameter: {
    required: [1, 'bool'],
    in: [2, 'string'],
    description: [3, 'string'],
    name: [4, 'string'],
    type: [5, 'string'],
    format: [6, 'string'],
    uniqueItems: [19, 'bool'],
    'x-': [22, 'any'],
  },
  Responses: { '*': [1, 'ResponseValue'] },
  ResponseValue: { '=': [1, 'Response'] },
  Response: { description: [1, 'string'], schema: [2, 'SchemaItem'], 'x-': [5, 'any'] },
  SchemaItem: { '=': [1, 'Schema'] },
  Schema: {
    $ref: [1, 'string'],
    format: [2, 'string'],
    title: [3, 'string'],
    description: [4, 'string'],
    default: [5, 'any'],
    multipleOf: [6, 'double'],
    maximum: [7, 'double'],
    exclusiveMaximum: [8, 'bool'],
    minimum: [9, 'double'],
    exclusiveMinimum: [10, 'bool'],
    maxLength: [11, 'int'],
    minLength: [12, 'int'],
    pattern: [13, 'string'],
    maxItems: [14, 'int'],
    minItems: [15, 'int'],
    uniqueItems: [16, 'bool'],
    maxProperties: [17, 'int'],
    minProperties: [18, 'int'],
    required: [19, 'strings'],
    enum: [20, 'anys'],
    additionalProperties: [21, 'AdditionalProperties'],
    type: [22, 'StringArray'],
    items: [23, 'SchemaItem'],
    allOf: [24, 'Schema*'],
    properties: [25, 'Properties'],
    'x-': [31, 'any'],
  },
  AdditionalProperties: { '=': [1, 'Schema'], bool: [2, 'bool'] },
  StringArray: { '=': [1, 'strings'] },
} as const satisfies Record<string, Record<string, readonly [number, string]>>

function writeMessage(name: Message, value: Json, writer: ReverseWriter) {
  const fields = Object.entries(MESSAGES[name] as Record<string, readonly [number, FieldKind]>).sort(([, a], [, b]) => b[0] - a[0])
  for (const [key, [tag, kind]] of fields) {
    if (key === '=') {
      if (!choosesOther(name, value)) writeField(tag, kind, value, writer)
    } else if (key === 'x-')
      writeNamed(
        tag,
        'any',
        entries(value).filter(([k]) => k.startsWith('x-')),
        writer,
      )
    else if (key === '*') writeNamed(tag, kind, entries(value), writer)
    else if (!isChoice(name) || choosesOther(name, value) === key) {
      const item = isChoice(name) ? value : isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
      if (item !== undefined) writeField(tag, kind, item, writer)
    }
  }
}

/** Messages that are one of several others; which one, the value tells. */
const isChoice = (name: Message) => ['ParametersItem', 'Parameter', 'NonBodyParameter', 'AdditionalProperties'].includes(name)

function choosesOther(name: Message, value: Json): string | undefined {
  if (name === 'AdditionalProperties') return typeof value === 'boolean' ? 'bool' : undefined
  if (!isObject(value)) return undefined
  if (name === 'ParametersItem') return Object.hasOwn(value, '$ref') ? '$ref' : undefined
  if (name === 'Parameter') return value.in === 'body' ? 'body' : undefined
  return name === 'NonBodyParameter' ? String(value.in) : undefined
}

function writeField(tag: number, kind: FieldKind, value: Json, writer: ReverseWriter) {
  switch (kind) {
    case 'string':
      if (value === '') return
      writer.string(String(value))
      return writer.tag(tag, BYTES)
    case 'bool':
      if (value !== true) return
      writer.varint(1)
      return writer.tag(tag, VARINT)
    case 'int':
      writer.int(Number(value))
      return writer.tag(tag, VARINT)
    case 'double':
      writer.double(Number(value))
      return writer.tag(tag, FIXED64)
    case 'strings':
      return writeRepeated(tag, 'string', Array.isArray(value) ? value : [value], writer)
    case 'anys':
      return writeRepeated(tag, 'any', Array.isArray(value) ? value : [], writer)
    case 'any':
      return inside(tag, writer, () => {
        writer.string(`${JSON.stringify(value)}\n`)
        writer.tag(2, BYTES)
      })
    default: {
      const repeated = kind.endsWith('*')
      const name = (repeated ? kind.slice(0, -1) : kind) as Message
      if (repeated) return writeRepeated(tag, name, Array.isArray(value) ? value : [], writer)
      return inside(tag, writer, () => writeMessage(name, value, writer))
    }
  }
}

function writeRepeated(tag: number, kind: FieldKind, list: readonly Json[], writer: ReverseWriter) {
  for (let i = list.length - 1; i >= 0; i--) writeField(tag, kind, list[i] ?? null, writer)
}

/** A map is a list of names with values. */
function writeNamed(tag: number, kind: FieldKind, named: readonly (readonly [string, Json])[], writer: ReverseWriter) {
  for (let i = named.length - 1; i >= 0; i--) {
    const [name, value] = named[i] ?? ['', null]
    inside(tag, writer, () => {
      writeField(2, kind, value, writer)
      writeField(1, 'string', name, writer)
    })
  }
}

function inside(tag: number, writer: ReverseWriter, write: () => void) {
  const before = writer.length
  write()
  writer.varint(writer.length - before)
  writer.tag(tag, BYTES)
}

const isObject = (value: Json | undefined): value is JsonObject => value !== null && typeof value === 'object' && !Array.isArray(value)
const entries = (value: Json): [string, Json][] => (isObject(value) ? Object.entries(value).map(([k, v]) => [k, v ?? null]) : [])
