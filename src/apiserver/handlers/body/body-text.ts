import { inTurns } from '../../../base/steps.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { NumberTexts } from '../../../machinery/json/json-parser.ts'
import {
  type DecodedJson,
  decodeJsonInTurns,
  decodePlainJson,
  JsonSyntaxError,
  JsonTooLargeError,
} from '../../../machinery/json/strict-json.ts'
import type { GroupVersionKind, Json, JsonObject } from '../../../machinery/object.ts'
import { sortedKeys, sortedKeysInSteps } from '../../../machinery/sorted-keys.ts'
import { badRequest, tooLarge } from '../../../machinery/status-error.ts'
import { MOST_DEPTH } from '../../../machinery/weight.ts'
import type { DecodedYaml } from '../../../machinery/yaml/yaml.ts'
import type { Kinds } from '../../kinds.ts'
import type { Encoding } from './media-type.ts'
import { unrecognizedBody } from './unrecognized-body.ts'

export interface ParsedBody {
  readonly json: Json
  /** Paths of fields that stand there twice. */
  readonly duplicates?: readonly string[] | undefined
  /** What a strict reader of the text objects to. */
  readonly strict?: string
  /** It may be nested deeper than what is kept may be. */
  readonly deep?: boolean
  /** Numbers whose text matters. */
  readonly numbers?: NumberTexts | undefined
}

export interface ExpectedText {
  readonly kinds: Kinds
  readonly gvk: GroupVersionKind
  /** Faults are told without the kind and the beginning of the text. */
  readonly bare?: boolean
}

const TOO_LARGE = /^json: cannot unmarshal number \S+ into Go value of type float64$/
const isCustom = ({ kinds, gvk }: ExpectedText) => !kinds.has(gvk.group, gvk.version, gvk.kind)
const cannotHandle = ({ version, kind }: GroupVersionKind, why: string) =>
  badRequest(`${kind} in version ${goQuote(version)} cannot be handled as a ${kind}: ${why}`)

/** Text → JSON. Throws the 400 that Kubernetes gives for text that cannot be read. */
export async function parseBody(bytes: Buffer, encoding: Encoding, expected: ExpectedText): Promise<ParsedBody> {
  const refuse = (why: string) => (expected.bare === true ? badRequest(why) : unrecognizedBody(expected.gvk.kind, why, bytes))
  if (encoding === 'protobuf') return parseProtobuf(expected.kinds, bytes, refuse)
  if (encoding === 'yaml') return parseYaml(bytes, refuse)
  try {
    const { value, duplicates, numbers, depth } = await readJson(bytes, true)
    return { json: value, duplicates, numbers, deep: depth > MOST_DEPTH }
  } catch (error) {
    // A number that no float64 holds is found when the whole is read, and that is where Kubernetes reads objects without a Go type.
    if (error instanceof JsonSyntaxError && TOO_LARGE.test(error.message) && isCustom(expected))
      throw cannotHandle(expected.gvk, error.message)
    if (error instanceof JsonSyntaxError) throw refuse(`couldn't get version/kind; json parse error: ${error.message}`)
    throw error
  }
}

/** As many values (lists, maps, their members and items) as a body may have: more than an object of 1.5 MiB needs, fewer than would stop everybody. */
const MOST_VALUES = 500_000

/**
 * As many members as one map of a body may have. Whoever walks through a map has all its keys from the engine at once, before the first: that cannot be
 * done in steps, and costs more for each key the more there are.
 */
const MOST_MEMBERS = 131_072

const BOUNDS = { maxValues: MOST_VALUES, maxMembers: MOST_MEMBERS } as const

/**
 * Reads JSON that a client sent, giving turns to others.
 * @throws {JsonSyntaxError}
 * @throws {StatusError} 413 for more values than any object has
 */
export async function readJson(bytes: Buffer, merge: boolean): Promise<DecodedJson> {
  try {
    return await decodeJsonInTurns(bytes, { merge, ...BOUNDS })
  } catch (error) {
    throw refusedWhenTooLarge(error)
  }
}

async function parseProtobuf(kinds: Kinds, bytes: Buffer, refuse: (why: string) => Error): Promise<ParsedBody> {
  const { protobufToJson, ProtobufError } = await import('./protobuf.ts')
  try {
    return { json: protobufToJson(kinds, bytes) }
  } catch (error) {
    if (error instanceof ProtobufError) throw refuse(error.message)
    throw error
  }
}

/** Longer documents are read, and written, in another thread: in this one they would hold up everybody. */
export const LONG_YAML = 64 * 1024

/**
 * Reads YAML that a client sent, giving turns to others. Most of it is JSON: clients that apply send that. `sort`: the keys of maps come in order
 * (those of long documents always do).
 * @throws {YamlError}
 * @throws {StatusError} 413 for more values than any object has
 */
export async function readYaml(bytes: Buffer, sort: boolean): Promise<DecodedYaml> {
  const plain = await readPlainJson(bytes)
  if (plain !== undefined) return { value: sort ? await inTurns(sortedKeysInSteps(plain)) : plain, strictError: '' }
  const { decodeYaml, YamlTooLargeError } = await import('../../../machinery/yaml/yaml.ts')
  try {
    if (bytes.length > LONG_YAML) return await (await import('./yaml-in-worker.ts')).decodeYamlInWorker(bytes, BOUNDS)
    const { value, strictError } = decodeYaml(bytes, { maxValues: MOST_VALUES })
    return { value: sort ? sortedKeys(value) : value, strictError }
  } catch (error) {
    if (error instanceof YamlTooLargeError) throw tooLarge(`the body has ${error.message}`)
    throw refusedWhenTooLarge(error)
  }
}

async function readPlainJson(bytes: Buffer): Promise<JsonObject | undefined> {
  try {
    return await decodePlainJson(bytes, BOUNDS)
  } catch (error) {
    throw refusedWhenTooLarge(error)
  }
}

const refusedWhenTooLarge = (error: unknown) => (error instanceof JsonTooLargeError ? tooLarge(`the body has ${error.message}`) : error)

async function parseYaml(bytes: Buffer, refuse: (why: string) => Error): Promise<ParsedBody> {
  const { YamlError } = await import('../../../machinery/yaml/yaml.ts')
  try {
    const { value, strictError } = await readYaml(bytes, true)
    // Kubernetes turns YAML into JSON with sorted keys, and reports the first fault of that.
    return { json: value, strict: strictError }
  } catch (error) {
    if (error instanceof YamlError) throw refuse(error.message)
    throw error
  }
}

/** What a strict YAML reader objects to, one text each. */
export function yamlWarnings(strictError: string): readonly string[] {
  if (strictError === '') return []
  return strictError
    .replace(/^yaml: unmarshal errors:\n/, '')
    .split('\n')
    .map((line) => line.trim())
}
