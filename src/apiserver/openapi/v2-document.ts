import { createHash } from 'node:crypto'
import type { Steps } from '../../base/steps.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Kinds } from '../kinds.ts'
import { encodeGnosticV2 } from './gnostic-v2.ts'
import { mergeOpenapiV2 } from './merge-openapi-v2.ts'
import { openapiV2 } from './openapi-v2.ts'

/** The v2 document: as an object, as it is sent, and by what clients cache it. */
export interface V2Document {
  readonly json: JsonObject
  readonly bytes: Buffer
  readonly hash: string
}

/** Paths and components that are written in one step: of built-in resources some milliseconds. */
const MEMBERS_PER_STEP = 100

/** The document of all definitions, merged with those of other servers, in steps: there may be thousands of definitions. */
export function* v2Document(kinds: Kinds, definitions: readonly ResourceDefinition[], foreign: readonly JsonObject[]): Steps<V2Document> {
  const json = mergeOpenapiV2(yield* openapiV2(kinds, definitions), foreign)
  const hash = createHash('sha512')
  const parts: Buffer[] = []
  for (const text of jsonPieces(json)) {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    parts.push(bytes)
    yield
  }
  return { json, bytes: Buffer.concat(parts), hash: hash.digest('hex').toUpperCase() }
}

/** The text of an object, cut inside of its larger members. */
export function* jsonPieces(json: JsonObject): Generator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(json)) {
    const head = `${before}${JSON.stringify(name)}:`
    before = ','
    if (!isObject(value)) {
      yield head + JSON.stringify(value)
      continue
    }
    let text = `${head}{`
    for (const part of partsOf(value)) {
      yield text + JSON.stringify(part).slice(1, -1)
      text = ','
    }
    yield text === ',' ? '}' : `${text}}`
  }
  yield before === '{' ? '{}' : '}'
}

/**
 * The document in protobuf, in steps. A message that occurs several times is merged by its reader (Protocol Buffers, "Last One Wins"), so a
 * long one is written in parts.
 */
export function* v2Protobuf({ json }: V2Document): Steps<Buffer> {
  const { paths, definitions, ...rest } = json
  const parts = [encodeGnosticV2(rest)]
  for (const [name, members] of Object.entries({ paths, definitions })) {
    if (!isObject(members)) continue
    for (const part of partsOf(members)) {
      yield
      parts.push(encodeGnosticV2({ [name]: part }))
    }
  }
  return Buffer.concat(parts)
}

function* partsOf(members: JsonObject): Generator<JsonObject> {
  const all = Object.entries(members)
  for (let at = 0; at < all.length; at += MEMBERS_PER_STEP) yield Object.fromEntries(all.slice(at, at + MEMBERS_PER_STEP))
}
