import { inTurns } from '../../../base/steps.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { FieldPlaces, NumberTexts, RepeatedValues } from '../../../machinery/json/json-parser.ts'
import {
  type DecodedJson,
  type DecodeJsonOptions,
  decodeJsonInTurns,
  decodePlainJson,
  JsonSyntaxError,
  JsonTooLargeError,
} from '../../../machinery/json/strict-json.ts'
import type { GroupVersionKind, Json, JsonObject } from '../../../machinery/object.ts'
import { joinRepeated } from '../../../machinery/schema/join-repeated.ts'
import type { Schema } from '../../../machinery/schema/schema.ts'
import { sortedKeys, sortedKeysInSteps } from '../../../machinery/sorted-keys.ts'
import { badRequest, tooLarge } from '../../../machinery/status-error.ts'
import { MOST_DEPTH } from '../../../machinery/weight.ts'
import type { DecodedYaml } from '../../../machinery/yaml/yaml.ts'
import type { Kinds } from '../../kinds.ts'
import type { Encoding } from './media-type.ts'
import { unrecognizedBody } from './unrecognized-body.ts'

export interface ParsedBody {
  readonly json: Json
  /** Paths of duplicate fields. */
  readonly duplicates?: readonly string[] | undefined
  /** The order of fields, where there are duplicates. */
  readonly places?: FieldPlaces | undefined
  /** The error of strict decoding. */
  readonly strict?: string
  /** True if it may be nested more deeply than a stored object may be. */
  readonly deep?: boolean
  /** Numbers whose original text must be kept. */
  readonly numbers?: NumberTexts | undefined
  /** The earlier values of duplicate fields. */
  readonly repeated?: RepeatedValues | undefined
}

export interface ExpectedText {
  readonly kinds: Kinds
  readonly gvk: GroupVersionKind
  /** Errors omit the kind and the beginning of the text. */
  readonly bare?: boolean
}

const isCustom = ({ kinds, gvk }: ExpectedText) => !kinds.has(gvk.group, gvk.version, gvk.kind)
/** The refusal of an object that names a type (`named`) where another kind is expected, or that cannot be read as it. */
export const cannotHandle = ({ kind }: GroupVersionKind, named: GroupVersionKind, why: string) =>
  badRequest(`${named.kind} in version ${goQuote(named.version)} cannot be handled as a ${kind}: ${why}`)

/** Text → JSON. Throws Kubernetes' 400 for invalid text. */
export async function parseBody(bytes: Buffer, encoding: Encoding, expected: ExpectedText): Promise<ParsedBody> {
  const refuse = (why: string) => (expected.bare === true ? badRequest(why) : unrecognizedBody(expected.gvk.kind, why, bytes))
  if (encoding === 'protobuf') return parseProtobuf(bytes, expected, refuse)
  if (encoding === 'yaml') return parseYaml(bytes, refuse)
  const hasGoType = expected.bare === true || !isCustom(expected)
  try {
    const { value, depth, ...read } = await readJson(bytes, { infinite: hasGoType })
    return { json: value, ...read, deep: depth > MOST_DEPTH }
  } catch (error) {
    // Objects without a Go type are decoded as a whole: only then does Kubernetes find a number beyond float64. Others refuse it by field.
    if (error instanceof JsonSyntaxError && error.code === 'float-range') throw cannotHandle(expected.gvk, expected.gvk, error.message)
    if (error instanceof JsonSyntaxError) throw refuse(`couldn't get version/kind; json parse error: ${error.message}`)
    throw error
  }
}

/** Joins the values of duplicate fields, as Go does when it decodes into a struct. */
export async function joinDuplicates(schema: Schema, parsed: ParsedBody): Promise<ParsedBody> {
  const { repeated } = parsed
  return repeated === undefined || repeated.size === 0
    ? parsed
    : { ...parsed, ...(await inTurns(joinRepeated(schema, { ...parsed, repeated }))) }
}

/**
 * Most values (lists, maps, members and items) of a body: more than an object of 1.5 MiB needs, and few enough to not block other requests.
 */
const MOST_VALUES = 500_000

/**
 * Most members of one map of a body. The engine returns all keys of a map at once, which cannot be done in steps and costs more per key the
 * more keys there are.
 */
const MOST_MEMBERS = 131_072

const BOUNDS = { maxValues: MOST_VALUES, maxMembers: MOST_MEMBERS } as const

/**
 * Decodes JSON from a client, yielding to other requests.
 * @throws {JsonSyntaxError}
 * @throws {StatusError} 413 for more values than any object has
 */
export async function readJson(bytes: Buffer, { infinite = false }: Pick<DecodeJsonOptions, 'infinite'> = {}): Promise<DecodedJson> {
  try {
    return await decodeJsonInTurns(bytes, { ...BOUNDS, infinite })
  } catch (error) {
    throw refusedWhenTooLarge(error)
  }
}

async function parseProtobuf(
  bytes: Buffer,
  { kinds, gvk, bare = false }: ExpectedText,
  refuse: (why: string) => Error,
): Promise<ParsedBody> {
  const { protobufToJson, ProtobufMessageError, ProtobufError } = await import('./protobuf.ts')
  try {
    return { json: protobufToJson(kinds, bytes, { gvk, alone: bare }) }
  } catch (error) {
    if (error instanceof ProtobufMessageError && !bare) throw cannotHandle(gvk, error.named, error.message)
    if (error instanceof ProtobufError) throw refuse(error.message)
    throw error
  }
}

/** Longer YAML documents are read and written in a worker thread, since they would block the event loop. */
export const LONG_YAML = 64 * 1024

/**
 * Decodes YAML from a client, yielding to other requests. Clients that apply mostly send JSON as YAML. `sort`: sorts the keys of maps
 * (always done for long documents).
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
    // Kubernetes converts YAML to JSON with sorted keys, and reports the first error of that JSON.
    return { json: value, strict: strictError }
  } catch (error) {
    if (error instanceof YamlError) throw refuse(error.message)
    throw error
  }
}

/** The errors of strict YAML decoding, one text each. */
export function yamlWarnings(strictError: string): readonly string[] {
  if (strictError === '') return []
  return strictError
    .replace(/^yaml: unmarshal errors:\n/, '')
    .split('\n')
    .map((line) => line.trim())
}
