import { goQuote } from '../field-error.ts'
import { goJsonWord } from '../go/go-json-word.ts'
import type { FieldPlaces, NumberTexts } from '../json/json-parser.ts'
import type { Json } from '../object.ts'
import { BeyondFloat } from './beyond-float.ts'
import type { EmptiedField } from './given-empty.ts'

/** A body that does not fit its type; the message is that of Go's decoder. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
  /** `type`: a value of another type; `value`: an invalid quantity, time or base64; `strict`: only unknown or duplicate fields. */
  readonly code: 'type' | 'value' | 'strict'

  constructor(code: 'type' | 'value' | 'strict', message: string) {
    super(message)
    this.code = code
  }
}

/** A field on the path to the current value: its name, and the names in Go's errors. */
export interface PathField {
  readonly name: string
  /** With the Go names of inlined structs: `VolumeSource.emptyDir`. */
  readonly goPath: string
  readonly struct: string
}

export type PathPart = PathField | string | number

/** Go reports at most a hundred unknown or duplicate fields. */
const MOST_STRICT = 100

/** What is known of a value before it is decoded. */
interface Known {
  readonly share?: boolean | undefined
  readonly known?: ReadonlySet<unknown> | undefined
  readonly repeats?: boolean
}

/** The state of one run of the decoder: its position, the first fault, and the unknown fields. */
export class DecodeState {
  readonly path: PathPart[] = []
  /** Fields given as `[]` or `{}` that are null in the result. */
  emptied: EmptiedField[] | undefined
  /** True if unknown fields are reported. */
  readonly strict: boolean
  /** Unknown fields, with the objects that have them. */
  #unknown: Map<string, { readonly object: object; readonly name: string }> | undefined
  /** The original texts of numbers that JavaScript writes differently (`80.0`, `1e3`). */
  readonly numbers: NumberTexts | undefined
  /** The container of the current value; maintained for `numbers` only. */
  container: object | undefined
  /** Go continues after a value of the wrong type, and reports the first. */
  fault: DecodeError | undefined
  /** The text has duplicate fields. */
  readonly repeats: boolean
  #untracked: string[] | undefined
  #beyondFloat: BeyondFloat | undefined
  /** The result may share parts of the value. */
  readonly share: boolean
  /** Parts that are in canonical form, by identity. */
  readonly known: ReadonlySet<unknown> | undefined

  constructor(strict: boolean, numbers: NumberTexts | undefined, { share = false, known, repeats = false }: Known = {}) {
    this.repeats = repeats
    this.known = known
    this.strict = strict
    this.share = share
    this.numbers = numbers !== undefined && numbers.size > 0 ? numbers : undefined
  }

  /** True if `unknown` has an effect: in strict mode, up to the limit. */
  get tellsUnknown(): boolean {
    return this.strict && (this.#unknown?.size ?? 0) < MOST_STRICT
  }

  unknown(name: string, object: object) {
    if (!this.tellsUnknown) return
    this.#unknown ??= new Map()
    const path = this.#join(name)
    if (!this.#unknown.has(path)) this.#unknown.set(path, { object, name })
  }

  /** A value of any type: numbers beyond float64 are refused. @throws {DecodeError} */
  checkFloats(value: Json) {
    if (this.numbers === undefined) return
    this.#beyondFloat ??= new BeyondFloat(this.numbers)
    const isInfinite = typeof value === 'number' && !Number.isFinite(value)
    const text = isInfinite ? this.numberText(value) : this.#beyondFloat.in(value)
    if (text !== undefined) throw new DecodeError('type', `json: cannot unmarshal number ${text} into Go value of type float64`)
  }

  /** Another decoder of Go's, which is not strict, reads the current value. */
  untracked() {
    if (!this.strict || !this.repeats) return
    this.#untracked ??= []
    this.#untracked.push(this.#here())
  }

  /**
   * The errors of strict decoding: in the order of the text where that is known, else unknown fields first. Go skips what is in an unknown
   * field or read by another decoder, so `duplicates` there are none.
   */
  strictTexts(duplicates: readonly string[], places: FieldPlaces | undefined): string[] {
    const unknown = [...(this.#unknown ?? [])]
    const isBelow = (path: string, field: string) => path.startsWith(field) && '.['.includes(path.charAt(field.length) || ' ')
    const isSkipped = (path: string) =>
      unknown.some(([field]) => path === field || isBelow(path, field)) || (this.#untracked?.some((field) => isBelow(path, field)) ?? false)
    const twice = [...new Set(duplicates)].filter((path) => !isSkipped(path))
    const told = [
      ...unknown.map(([path, { object, name }]) => ({ what: 'unknown', path, place: places?.fields.get(object)?.get(name) ?? 0 })),
      ...twice.map((path) => ({ what: 'duplicate', path, place: places?.duplicates.get(path) ?? Number.MAX_VALUE })),
    ]
    const inOrder = told.sort((a, b) => a.place - b.place).slice(0, MOST_STRICT)
    return inOrder.map(({ what, path }) => `${what} field ${goQuote(path)}`)
  }

  /** Notes that a field of the current struct was given as an empty list or map, and is null in the result. */
  emptiedField(name: string, kind: EmptiedField['kind']) {
    const path = this.path.map((part) => (typeof part === 'object' ? part.name : part))
    this.emptied ??= []
    this.emptied.push({ path: [...path, name], kind })
  }

  typeFault(value: Json, go: string) {
    this.fault ??= this.typeError(goJsonWord(value), go)
  }

  numberFault(value: number | bigint, go: string) {
    this.fault ??= this.typeError(`number ${this.numberText(value)}`, go)
  }

  /** Records a fault of a value, without its path, as Go does. */
  valueFault(message: string) {
    this.fault ??= new DecodeError('value', message)
  }

  typeError(what: string, go: string): DecodeError {
    const fields = this.path.filter((p): p is PathField => typeof p === 'object')
    const last = fields.at(-1)
    const where = last === undefined ? `Go value` : `Go struct field ${last.struct}.${fields.map((f) => f.goPath).join('.')}`
    return new DecodeError('type', `json: cannot unmarshal ${what} into ${where} of type ${go}`)
  }

  /** A number as it is written in the body. */
  numberText(value: number | bigint): string {
    const written = this.container === undefined ? undefined : this.numbers?.get(this.container)?.get(this.#key())
    return written ?? (Object.is(value, -0) ? '-0' : String(value))
  }

  /** The key of the current value in its container. */
  #key(): string | number {
    const last = this.path.at(-1)
    return typeof last === 'object' ? last.name : (last ?? '')
  }

  /** `spec.containers[0].image` */
  #join(last: string): string {
    const text = this.#here()
    return text === '' ? last : `${text}.${last}`
  }

  #here(): string {
    let text = ''
    for (const part of this.path) {
      if (typeof part === 'number') text += `[${part}]`
      else text += `${text === '' ? '' : '.'}${typeof part === 'object' ? part.name : part}`
    }
    return text
  }
}
