import type { Field, ListSchema, MapSchema, Scalar, ScalarSchema, Schema, StructSchema } from '../machinery/schema/schema.ts'
import { Words } from './facts/words.ts'
import { factsId, factsIdOfPackage, readGenerated } from './generated-files.ts'

/** One file of facts (notation: `facts/README.md`): the Go declarations of a group version's types. */
interface Facts {
  readonly package: string
  readonly openapi: string
  readonly group: string
  readonly version: string
  readonly kinds: readonly string[]
  /** Named types other than structs: `Protocol` → `string enum=[…]`. */
  readonly named: Readonly<Record<string, string>>
  readonly structs: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/**
 * The schema of a built-in kind (or of any type of its package: `Scale`, `DeleteOptions`, `PodSpec`). Lazy: reads only the facts of that
 * group version, and each struct at its first use. Throws for a type that Kubernetes 1.36 does not have.
 */
export function builtinSchema(group: string, version: string, kind: string): () => Schema {
  let schema: Schema | undefined
  return () => {
    schema ??= typeOf(factsId(group, version), kind)
    return schema
  }
}

/** True if a kind of this name is built in, and so has a schema. */
export function isBuiltinKind(group: string, version: string, kind: string): boolean {
  return factsOf(factsId(group, version))?.kinds.includes(kind) ?? false
}

/** The kinds that Go registers in a group version, lists and options included. */
export function builtinKinds(group: string, version: string): readonly string[] {
  return factsOf(factsId(group, version))?.kinds ?? []
}

/** The kind under which a type is registered in Go, by its OpenAPI name. */
export function kindOfOpenapiName(name: string): { group: string; version: string; kind: string } | undefined {
  const at = name.lastIndexOf('.')
  const id = factsIdOfPackage(name.slice(0, at))
  const facts = id === undefined ? undefined : factsOf(id)
  const kind = name.slice(at + 1)
  return facts?.kinds.includes(kind) ? { group: facts.group, version: facts.version, kind } : undefined
}

/** Finds a type by its OpenAPI name, `io.k8s.api.core.v1.Container`. */
export function schemaByOpenapiName(name: string): Schema | undefined {
  const at = name.lastIndexOf('.')
  const id = factsIdOfPackage(name.slice(0, at))
  return id === undefined || factsOf(id)?.structs[name.slice(at + 1)] === undefined ? undefined : typeOf(id, name.slice(at + 1))
}

/** The values of an enumeration, by the package of its facts and its name: `core_v1.Protocol`. Throws for a type that has none. */
export function enumValues(name: string): readonly string[] {
  const [id = '', type = ''] = name.split('.')
  const schema = typeOf(id, type)
  if (schema.type !== 'scalar' || schema.enum === undefined) throw new Error(`Kubernetes 1.36 has no enumeration ${name}`)
  return schema.enum.map(String)
}

const factsById = new Map<string, Facts | undefined>()
const types = new Map<string, Schema>()

function factsOf(id: string): Facts | undefined {
  if (!factsById.has(id)) factsById.set(id, readGenerated(`${id}.json`) as Facts | undefined)
  return factsById.get(id)
}

function typeOf(id: string, name: string): Schema {
  const key = `${id}.${name}`
  const known = types.get(key)
  if (known) return known
  const schema = OPAQUE[key] ?? alternative(key) ?? declared(id, name)
  types.set(key, schema)
  return schema
}

function declared(id: string, name: string): Schema {
  const facts = factsOf(id)
  if (facts === undefined) throw new Error(`there are no facts about ${id}: run "node scripts/prepare.mjs"`)
  const lines = facts.structs[name]
  if (lines !== undefined) return new BuiltinStruct(id, facts, name, lines)
  const named = facts.named[name]
  if (named === undefined) throw new Error(`Kubernetes 1.36 has no type ${name} in ${id}`)
  const words = new Words(named)
  const base = typed(id, words.head)
  return base.type === 'struct' ? base : ({ ...base, ...words.typeFacts(), go: `${facts.package}.${name}` } as Schema)
}

/** Types with a decoder of their own in Go; see `machinery/schema/decode.ts`. */
const scalar = (kind: Scalar, go: string): ScalarSchema => ({ type: 'scalar', scalar: kind, go })
const OPAQUE: Readonly<Record<string, Schema>> = {
  'meta_v1.Time': scalar('time', 'v1.Time'),
  'meta_v1.MicroTime': scalar('microtime', 'v1.MicroTime'),
  'meta_v1.Duration': scalar('duration', 'v1.Duration'),
  'meta_v1.FieldsV1': { type: 'any', go: 'v1.FieldsV1' },
  'quantity.Quantity': scalar('quantity', 'resource.Quantity'),
  'intstr.IntOrString': scalar('int-or-string', 'intstr.IntOrString'),
  'runtime.RawExtension': { type: 'any', go: 'runtime.RawExtension' },
  'apiextensions_v1.JSON': { type: 'any', go: 'v1.JSON' },
}

function alternative(key: string): Schema | undefined {
  const kind = { Bool: 'bool', Array: 'schemas', StringArray: 'strings' }[
    key.match(/^apiextensions_v1\.JSONSchemaPropsOr(\w+)$/)?.[1] ?? ''
  ] as 'bool' | 'schemas' | 'strings' | undefined
  if (kind === undefined) return undefined
  return {
    type: 'any',
    go: `v1.${key.slice('apiextensions_v1.'.length)}`,
    alternative: {
      kind,
      get schema() {
        return typeOf('apiextensions_v1', 'JSONSchemaProps')
      },
    },
  }
}

const BASIC: Readonly<Record<string, Schema>> = {
  string: scalar('string', 'string'),
  bool: scalar('bool', 'bool'),
  int32: scalar('int32', 'int32'),
  int64: scalar('int64', 'int64'),
  float64: scalar('float64', 'float64'),
  '[]byte': scalar('bytes', '[]uint8'),
  any: { type: 'any', go: 'interface {}' },
}

/** Parses Go's type, as the facts write it. */
function typed(id: string, text: string): Schema {
  const basic = BASIC[text]
  if (basic !== undefined) return basic
  if (text.startsWith('*')) return typed(id, text.slice(1))
  if (text.startsWith('[]')) {
    const items = typed(id, text.slice(2))
    return { type: 'list', items, go: `[]${goOf(items)}` } satisfies ListSchema
  }
  const map = text.match(/^map\[([^\]]+)\](.+)$/)
  if (map?.[1] !== undefined && map[2] !== undefined) {
    const values = typed(id, map[2])
    return { type: 'map', values, go: `map[${goOf(typed(id, map[1]))}]${goOf(values)}` } satisfies MapSchema
  }
  const [home, name] = text.includes('.') ? text.split('.') : [id, text]
  return typeOf(home ?? id, name ?? text)
}

const goOf = (schema: Schema) => schema.go ?? schema.type

/** A Go struct. Its fields are parsed at their first use: most fields of a large type are never used. */
class BuiltinStruct implements StructSchema {
  readonly type = 'struct'
  readonly name: string
  readonly openapiName: string
  readonly go: string
  readonly mapType?: 'granular' | 'atomic'
  readonly union?: boolean
  readonly #id: string
  readonly #lines: Readonly<Record<string, string>>
  #parts: { fields: Map<string, Field>; required: string[]; inlines: Map<string, { tag: number; schema: StructSchema }> } | undefined

  constructor(
    id: string,
    facts: Pick<Facts, 'openapi' | 'package'>,
    name: string,
    lines: Readonly<Record<string, string>>,
    mapType?: 'granular' | 'atomic',
  ) {
    this.name = name
    this.openapiName = `${facts.openapi}.${name}`
    this.go = `${facts.package}.${name}`
    this.#id = id
    this.#lines = lines
    const about = new Words(lines[''] ?? '')
    const type = mapType ?? about.value('structType')
    if (type === 'atomic' || type === 'granular') this.mapType = type
    if (about.has('union')) this.union = true
  }

  get fields(): ReadonlyMap<string, Field> {
    return this.#read().fields
  }

  get required(): readonly string[] {
    return this.#read().required
  }

  get inlines(): NonNullable<StructSchema['inlines']> {
    return this.#read().inlines
  }

  /** The same type with another ownership rule, which a field may set. */
  with(mapType: 'granular' | 'atomic'): Schema {
    if (this.mapType === mapType) return this
    const key = `${this.#id}.${this.name} ${mapType}`
    const known = types.get(key)
    if (known) return known
    const copy = new BuiltinStruct(
      this.#id,
      { openapi: this.openapiName.slice(0, -this.name.length - 1), package: this.go.slice(0, -this.name.length - 1) },
      this.name,
      this.#lines,
      mapType,
    )
    types.set(key, copy)
    return copy
  }

  #read() {
    this.#parts ??= readFields(this.#id, this.#lines)
    return this.#parts
  }
}

function readFields(id: string, lines: Readonly<Record<string, string>>) {
  const fields = new Map<string, Field>()
  const required: string[] = []
  const inlines = new Map<string, { tag: number; schema: StructSchema }>()
  for (const [name, line] of Object.entries(lines)) {
    if (name === '') continue
    const words = new Words(line)
    if (words.has('inline')) {
      const inner = typed(id, words.at(1))
      if (inner.type !== 'struct') throw new Error(`${id}: only structs are inlined, not ${words.at(1)}`)
      if (words.head !== '0') inlines.set(inner.name ?? '', { tag: Number(words.head), schema: inner })
      for (const [innerName, field] of inner.fields) {
        const inlineOf = field.inlineOf === undefined ? (inner.name ?? '') : `${inner.name}.${field.inlineOf}`
        fields.set(innerName, { ...field, inlineOf, tag: words.head === '0' ? 0 : field.tag })
      }
      required.push(...inner.required)
      continue
    }
    fields.set(name, readField(id, words))
    if (words.has('required') || !(words.has('omitempty') || words.has('omitzero') || words.has('optional'))) required.push(name)
  }
  return { fields, required, inlines }
}

function readField(id: string, words: Words): Field {
  const strategy = words.value('patch')
  const mergeKey = words.value('key')
  return {
    schema: fieldSchema(id, words),
    tag: Number(words.head),
    omitEmpty: words.has('omitempty'),
    ...(words.has('omitzero') ? { omitZero: true } : {}),
    ...(words.at(1).startsWith('*') ? { pointer: true } : {}),
    ...(strategy !== undefined ? { patchStrategy: strategy.split(',') as ('merge' | 'replace' | 'retainKeys')[] } : {}),
    ...(mergeKey !== undefined ? { patchMergeKey: mergeKey } : {}),
    ...(words.has('unionDiscriminator') ? { discriminator: true } : {}),
  }
}

function fieldSchema(id: string, words: Words): Schema {
  const schema = typed(id, words.at(1))
  const facts = words.typeFacts()
  if (Object.keys(facts).length === 0) return schema
  if (schema instanceof BuiltinStruct) {
    const mapType = facts.mapType
    return mapType === 'atomic' || mapType === 'granular' ? schema.with(mapType) : schema
  }
  return { ...schema, ...facts } as Schema
}
