import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import { BYTES, FIXED64, ReverseWriter, VARINT } from '../../machinery/protobuf/wire.ts'

/**
 * Describes the protobuf of github.com/google/gnostic-models: by message, JSON key → field number and kind. Kinds: `string`, `bool`, `int`,
 * `double`, `any` (JSON as text), `strings`, `anys`, or a message by name; `X*` repeats it. Special keys: `x-` collects the extensions, `*`
 * takes all keys as named values, `=` is the value itself, and `?…` takes the value in place of `=` if it has the key (`?$ref`), the type
 * (`?boolean`) or the content (`?in=body`) that follows.
 */
export type Messages = Readonly<Record<string, Readonly<Record<string, readonly [number: number, kind: string]>>>>

/** Writes the message `Document`. */
export function encodeGnostic(messages: Messages, document: JsonObject): Buffer {
  const writer = new ReverseWriter(1 << 20)
  new MessageWriter(messages, writer).message('Document', document)
  return writer.finish()
}

class MessageWriter {
  readonly #messages: Messages
  readonly #writer: ReverseWriter
  readonly #sorted = new Map<string, readonly (readonly [string, readonly [number, string]])[]>()

  constructor(messages: Messages, writer: ReverseWriter) {
    this.#messages = messages
    this.#writer = writer
  }

  message(name: string, value: Json) {
    const fields = this.#fields(name)
    const chosen = fields.find(([key]) => key.startsWith('?') && matches(key.slice(1), value))?.[0]
    for (const [key, [tag, kind]] of fields) {
      if (key === '=') {
        if (chosen === undefined) this.#field(tag, kind, value)
      } else if (key === '*') this.#named(tag, kind, entries(value))
      else if (key === 'x-')
        this.#named(
          tag,
          kind,
          entries(value).filter(([k]) => k.startsWith('x-')),
        )
      else if (key.startsWith('?')) {
        if (key === chosen) this.#field(tag, kind, value, true)
      } else if (isObject(value) && Object.hasOwn(value, key)) this.#field(tag, kind, value[key] ?? null)
    }
  }

  /** In reverse order of the fields, because the writer works backwards. */
  #fields(name: string) {
    let fields = this.#sorted.get(name)
    if (fields === undefined) {
      fields = Object.entries(this.#messages[name] ?? {}).sort(([, a], [, b]) => b[0] - a[0])
      this.#sorted.set(name, fields)
    }
    return fields
  }

  /** A member of a oneof is written even if it is zero: it shows the choice. */
  #field(tag: number, kind: string, value: Json, chosen = false) {
    const writer = this.#writer
    switch (kind) {
      case 'string':
        if (value === '' && !chosen) return
        writer.string(String(value))
        return writer.tag(tag, BYTES)
      case 'bool':
        if (value !== true && !chosen) return
        writer.varint(value === true ? 1 : 0)
        return writer.tag(tag, VARINT)
      case 'int':
        writer.int(Number(value))
        return writer.tag(tag, VARINT)
      case 'double':
        writer.double(Number(value))
        return writer.tag(tag, FIXED64)
      case 'strings':
        return this.#repeated(tag, 'string', Array.isArray(value) ? value : [value])
      case 'anys':
        return this.#repeated(tag, 'any', Array.isArray(value) ? value : [])
      case 'any':
        return this.#inside(tag, () => {
          writer.string(`${JSON.stringify(value)}\n`)
          writer.tag(2, BYTES)
        })
    }
    if (kind.endsWith('*')) return this.#repeated(tag, kind.slice(0, -1), Array.isArray(value) ? value : [])
    if (this.#says(kind, value)) this.#inside(tag, () => this.message(kind, value))
  }

  /** True if the kind can represent the value; a choice that cannot is left out. */
  #says(kind: string, value: Json): boolean {
    const keys = this.#fields(kind).map(([key]) => key)
    return !keys.every((key) => key.startsWith('?')) || keys.some((key) => matches(key.slice(1), value))
  }

  #repeated(tag: number, kind: string, list: readonly Json[]) {
    for (let i = list.length - 1; i >= 0; i--) this.#field(tag, kind, list[i] ?? null)
  }

  /** A map is written as a list of named values. */
  #named(tag: number, kind: string, named: readonly (readonly [string, Json])[]) {
    for (let i = named.length - 1; i >= 0; i--) {
      const [name, value] = named[i] ?? ['', null]
      this.#inside(tag, () => {
        this.#field(2, kind, value)
        this.#field(1, 'string', name)
      })
    }
  }

  #inside(tag: number, write: () => void) {
    const before = this.#writer.length
    write()
    this.#writer.varint(this.#writer.length - before)
    this.#writer.tag(tag, BYTES)
  }
}

function matches(condition: string, value: Json): boolean {
  const [key = '', content] = condition.split('=')
  if (!isObject(value)) return typeof value === key
  return content === undefined ? Object.hasOwn(value, key) : value[key] === content
}

const entries = (value: Json): [string, Json][] => (isObject(value) ? Object.entries(value).map(([k, v]) => [k, v ?? null]) : [])
