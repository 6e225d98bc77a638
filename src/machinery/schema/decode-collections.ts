import type { Pace, Steps } from '../../base/steps.ts'
import { type Json, type JsonObject, setOwn } from '../object.ts'
import { byKeys, byKeysInSteps } from '../sorted-keys.ts'
import type { DecodeState } from './decode-state.ts'
import { type Decoder, type DecoderOf, stepsOf } from './decoder.ts'
import type { ListSchema, MapSchema } from './schema.ts'

/** Decodes the items of a list. */
export function listDecoder(schema: ListSchema, decoderOf: DecoderOf): Decoder {
  const go = schema.go ?? 'list'
  let items: Decoder | undefined
  const decode = (value: Json, state: DecodeState): Json => {
    if (value === null) return null
    if (!Array.isArray(value)) {
      state.typeFault(value, go)
      return null
    }
    items ??= decoderOf(schema.items)
    const out = new Array<Json>(value.length)
    let same = state.share
    for (let i = 0; i < value.length; i++) {
      const item = value[i] ?? null
      let decoded = item
      if (state.known?.has(item) !== true) {
        state.path.push(i)
        state.container = value
        decoded = items.decode(item, state) ?? null
        state.path.pop()
      }
      out[i] = decoded
      if (decoded !== value[i]) same = false
    }
    return same ? value : out
  }
  function* steps(value: Json, state: DecodeState, pace: Pace): Steps<Json> {
    if (!Array.isArray(value)) return decode(value, state)
    items ??= decoderOf(schema.items)
    const out: Json[] = []
    let same = state.share
    for (const [i, given] of value.entries()) {
      const item = given ?? null
      let decoded = item
      if (state.known?.has(item) !== true) {
        state.path.push(i)
        state.container = value
        decoded = (yield* stepsOf(items, item, state, pace)) ?? null
        state.path.pop()
      }
      out.push(decoded)
      if (decoded !== given) same = false
    }
    return same ? value : out
  }
  return { decode, steps, zero: () => null }
}

/** Decodes the members of a map, in the order in which Go writes them: that of their keys. */
export function mapDecoder(schema: MapSchema, decoderOf: DecoderOf): Decoder {
  const go = schema.go ?? 'map'
  let values: Decoder | undefined
  // Stored as protobuf, in which bytes may be empty but not null.
  const none = schema.values.type === 'scalar' && schema.values.scalar === 'bytes' ? '' : null
  const decode = (value: Json, state: DecodeState): Json => {
    if (value === null) return null
    if (typeof value !== 'object' || Array.isArray(value)) {
      state.typeFault(value, go)
      return null
    }
    values ??= decoderOf(schema.values)
    const out: JsonObject = {}
    let same = state.share
    let last = ''
    let inOrder = true
    for (const name in value) {
      if (name < last) inOrder = false
      last = name
      const item = value[name]
      state.path.push(name)
      state.container = value
      const decoded = values.decode(item ?? null, state) ?? none
      state.path.pop()
      setOwn(out, name, decoded)
      if (decoded !== item) same = false
    }
    if (!inOrder) return byKeys(out)
    return same ? value : out
  }
  function* steps(value: Json, state: DecodeState, pace: Pace): Steps<Json> {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return decode(value, state)
    values ??= decoderOf(schema.values)
    yield
    // Most maps are in Go's form already: they are copied at the first member that is not.
    let out: JsonObject | undefined = state.share ? undefined : {}
    const taken: string[] = []
    let last = ''
    let inOrder = true
    for (const name in value) {
      if (name < last) inOrder = false
      last = name
      const item = value[name] ?? null
      state.path.push(name)
      state.container = value
      const decoded = (yield* stepsOf(values, item, state, pace)) ?? none
      state.path.pop()
      if (out === undefined && decoded !== value[name]) {
        out = {}
        for (const before of taken) {
          if (pace.due()) yield
          setOwn(out, before, value[before])
        }
      }
      if (out === undefined) taken.push(name)
      else setOwn(out, name, decoded)
    }
    return inOrder ? (out ?? value) : yield* byKeysInSteps(out ?? value, pace)
  }
  return { decode, steps, zero: () => null }
}
