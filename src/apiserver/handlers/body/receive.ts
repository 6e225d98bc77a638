import { inTurns, type Later } from '../../../base/steps.ts'
import { giveTurn } from '../../../base/turns.ts'
import { goQuote, invalid } from '../../../machinery/field-error.ts'
import { typeMetaError } from '../../../machinery/go/type-meta-error.ts'
import type { FieldPlaces, NumberTexts } from '../../../machinery/json/json-parser.ts'
import {
  apiVersionOf,
  asKubeObject,
  type GroupVersionKind,
  isObject,
  type Json,
  type KubeObject,
  parseApiVersion,
} from '../../../machinery/object.ts'
import type { ResourceVersion } from '../../../machinery/resource/definition.ts'
import { type Decoded, DecodeError, type DecodeOptions, decodeObject, decodeObjectInSteps } from '../../../machinery/schema/decode.ts'
import { alsoEmpty } from '../../../machinery/schema/given-empty.ts'
import type { Schema } from '../../../machinery/schema/schema.ts'
import { badRequest, invalidObject } from '../../../machinery/status-error.ts'
import { isDeeper, MOST_DEPTH } from '../../../machinery/weight.ts'
import type { RequestBody } from '../../request/request-body.ts'
import type { Call, CallDeps } from '../call.ts'
import type { FieldValidation } from '../options.ts'
import { cannotHandle, joinDuplicates, parseBody, yamlWarnings } from './body-text.ts'
import { inputEncoding } from './media-type.ts'
import { unrecognizedBody } from './unrecognized-body.ts'

/** For longer bodies, parsing, decoding and what follows each get a turn of the event loop. */
const LONG_BODY = 128 * 1024

type BodyText = Extract<RequestBody, { kind: 'bytes' }>

/** The expected kind of a body, and the schema that decodes it. */
export interface Expected {
  readonly gvk: GroupVersionKind
  readonly schema: Schema
  /** Decodes it instead of the schema. */
  readonly decode?: ResourceVersion['decode']
  /** Custom kinds have no protobuf. */
  readonly custom: boolean
}

/**
 * Reads the body of a create or update: the object in the apiVersion that it names, decoded by its schema. Adds warnings for unknown and
 * duplicate fields.
 */
export function receive(call: Call, expected: Expected, validation: FieldValidation): Later<KubeObject> {
  const { body } = call.request
  // The value belongs to another client of the process: the decoder copies it.
  return body.kind === 'object' ? typed(call, expected, body.value as Json, { validation }) : read(call, body, expected, validation)
}

async function read(call: Call, body: BodyText, expected: Expected, validation: FieldValidation): Promise<KubeObject> {
  // Kubernetes looks for the protobuf of a custom object only if it need not report unknown fields, and finds none.
  const encoding = inputEncoding(body.contentType, !expected.custom || validation === 'Ignore')
  const bytes = await body.read()
  const parsed = await parseBody(bytes, encoding, { gvk: expected.gvk, kinds: call.deps.kinds })
  if (bytes.length > LONG_BODY) await giveTurn()
  // Built-in kinds skip unknown fields, however deep; custom kinds examine all of them.
  if (parsed.deep === true && expected.custom && isDeeper(parsed.json, MOST_DEPTH)) throw tooDeep(expected, bytes)
  const joined = expected.custom ? parsed : await joinDuplicates(expected.schema, parsed)
  const object = await typed(call, expected, joined.json, { ...joined, validation, bytes })
  if (bytes.length > LONG_BODY) await giveTurn()
  if (parsed.deep === true && isDeeper(object, MOST_DEPTH)) throw tooDeep(expected, bytes)
  return object
}

const tooDeep = ({ gvk }: Expected, bytes: Buffer) =>
  unrecognizedBody(gvk.kind, "couldn't get version/kind; json parse error: exceeded max depth", bytes)

interface Source {
  readonly validation: FieldValidation
  readonly bytes?: Buffer
  readonly strict?: string
  readonly duplicates?: readonly string[] | undefined
  readonly places?: FieldPlaces | undefined
  readonly numbers?: NumberTexts | undefined
}

/** JSON → an object of the expected kind, as Go decodes it. */
export async function typed(call: Call, expected: Expected, json: Json, source: Source): Promise<KubeObject> {
  const { gvk } = expected
  const named = kindOf(json, source.bytes, gvk)
  const apiVersion = expected.custom
    ? apiVersionOf(gvk)
    : checkKind(call, expected, named, () => source.bytes ?? Buffer.from(JSON.stringify(json)))
  const strict = source.validation === 'Strict'
  const options = {
    fieldValidation: strict ? ('Warn' as const) : source.validation,
    share: source.bytes !== undefined,
    ...(source.duplicates && { duplicates: source.duplicates }),
    ...(source.places && { places: source.places }),
    ...(source.numbers && { numbers: source.numbers }),
  }
  try {
    if (expected.custom) checkCustomKind(call, gvk, named, json, source)
    const { object, warnings } =
      expected.decode === undefined ? await decodeBuiltin(expected.schema, json, options, source.bytes) : expected.decode(json, options)
    const objections = source.strict && source.validation !== 'Ignore' ? [source.strict, ...warnings] : warnings
    if (strict && objections.length > 0) throw new DecodeError('strict', `strict decoding error: ${objections.join(', ')}`)
    const warned = source.validation === 'Warn' ? [...yamlWarnings(source.strict ?? ''), ...warnings] : objections
    for (const text of warned) call.request.warn(text)
    const { apiVersion: _a, kind: _k, metadata, ...rest } = object
    return asKubeObject(alsoEmpty({ apiVersion, kind: gvk.kind, metadata: metadata ?? {}, ...rest }, object))
  } catch (error) {
    if (error instanceof DecodeError) throw cannotHandle(gvk, gvk, error.message)
    throw error
  }
}

/** Decodes a long body in several turns. */
function decodeBuiltin(schema: Schema, json: Json, options: DecodeOptions, bytes: Buffer | undefined): Later<Decoded> {
  if (bytes === undefined || bytes.length <= LONG_BODY) return decodeObject(schema, json, options)
  return inTurns(decodeObjectInSteps(schema, json, options))
}

function kindOf(json: Json, bytes: Buffer | undefined, gvk: GroupVersionKind): { apiVersion: string; kind: string } {
  const unrecognized = (why: string) => unrecognizedBody(gvk.kind, why, bytes ?? Buffer.from(JSON.stringify(json)))
  const fault = typeMetaError(json)
  if (fault !== undefined) throw unrecognized(fault)
  return { apiVersion: textOf(json, 'apiVersion'), kind: textOf(json, 'kind') }
}

function textOf(json: Json, field: string): string {
  const value = isObject(json) && Object.hasOwn(json, field) ? json[field] : undefined
  return typeof value === 'string' ? value : ''
}

/** Old versions that bodies may still name. */
const ALSO_ACCEPTED: Readonly<Record<string, readonly string[]>> = { Eviction: ['policy/v1beta1'] }
/** Versions in other groups that Kubernetes serves as the same kind, and does not accept in each other's place. */
const SAME_KIND: ReadonlyMap<string, readonly string[]> = new Map([['Event', ['v1', 'events.k8s.io/v1']]])

/** Checks that the body names the expected kind, or none. @returns its apiVersion */
function checkKind(call: Call, { gvk }: Expected, named: { apiVersion: string; kind: string }, body: () => Buffer): string {
  const apiVersion = named.apiVersion === '' ? apiVersionOf(gvk) : named.apiVersion
  const kind = named.kind === '' ? gvk.kind : named.kind
  if (apiVersion === apiVersionOf(gvk) && kind === gvk.kind) return apiVersion
  if (kind === gvk.kind && ALSO_ACCEPTED[kind]?.includes(apiVersion) === true) return apiVersion
  const gv = parseApiVersion(apiVersion)
  if (gv === undefined) throw unrecognizedBody(gvk.kind, `unexpected GroupVersion string: ${apiVersion}`, body())
  const fault = kindFault(call.deps, gvk, { ...gv, kind })
  if (fault === undefined)
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(gvk)})`)
  throw cannotHandle(gvk, { ...gv, kind }, fault)
}

/** Why an object of this kind is not the expected one; undefined for another version of the expected kind. */
export function kindFault(
  deps: Pick<CallDeps, 'definitions' | 'kinds'>,
  gvk: GroupVersionKind,
  named: GroupVersionKind,
): string | undefined {
  const { definitions, kinds } = deps
  const isSame = kinds.isUnserved(named) || SAME_KIND.get(named.kind)?.includes(apiVersionOf(named)) === true
  if (named.kind === gvk.kind && isSame) return undefined
  const found = definitions.byKind(named.group, named.kind)
  const registered =
    kinds.isKnown(named, gvk.group) || (named.group === gvk.group && found?.versions.some((v) => v.version === named.version) === true)
  if (!registered)
    return `no kind ${goQuote(named.kind)} is registered for version ${goQuote(apiVersionOf(named))} in scheme "pkg/runtime/scheme.go:111"`
  if (named.kind === gvk.kind && named.group === gvk.group) return undefined
  return unknownConversion(`${named.version}.${named.kind}`, gvk)
}

const TYPE_META = new Set(['apiVersion', 'kind', 'metadata'])

/** Custom objects must name their kind, and a wrong kind is a fault of the field. */
function checkCustomKind(
  call: Call,
  gvk: GroupVersionKind,
  named: { apiVersion: string; kind: string },
  json: Json,
  { bytes, validation }: Source,
): void {
  const wanted = apiVersionOf(gvk)
  if (named.kind === '') {
    const body = bytes ?? Buffer.from(JSON.stringify(json))
    throw unrecognizedBody(gvk.kind, `Object 'Kind' is missing in '${body.toString()}'`, body)
  }
  if (named.apiVersion !== wanted) {
    if (named.apiVersion !== '' && parseApiVersion(named.apiVersion) === undefined)
      throw unrecognizedBody(gvk.kind, `unexpected GroupVersion string: ${named.apiVersion}`, bytes ?? Buffer.from(JSON.stringify(json)))
    if (validation === 'Warn' && named.kind === gvk.kind)
      for (const text of otherVersionWarnings(call, gvk, named.apiVersion, json)) call.request.warn(text)
    throw badRequest(`the API version in the data (${named.apiVersion}) does not match the expected API version (${wanted})`)
  }
  if (named.kind === gvk.kind) return
  const metadata = json !== null && typeof json === 'object' && !Array.isArray(json) ? json.metadata : undefined
  const name = metadata !== null && typeof metadata === 'object' && !Array.isArray(metadata) ? metadata.name : undefined
  throw invalidObject({ group: gvk.group, kind: named.kind }, typeof name === 'string' ? name : '', [
    invalid('kind', named.kind, `must be ${gvk.kind}`),
  ])
}

/** What a body of another version of the group has beyond the fields of that version; one that is not served has no fields. */
function otherVersionWarnings(call: Call, gvk: GroupVersionKind, apiVersion: string, json: Json): readonly string[] {
  const other = parseApiVersion(apiVersion)
  if (other === undefined || other.group !== gvk.group) return []
  const version = call.served.definition.versions.find((v) => v.version === other.version)
  if (version?.decode !== undefined) return version.decode(json, { fieldValidation: 'Warn' }).warnings
  const fields = Object.keys(json ?? {}).filter((field) => !TYPE_META.has(field))
  return fields.sort().map((field) => `unknown field ${goQuote(field)}`)
}

/** The Go package of a group's internal types. */
export const internalPackage = (group: string) =>
  // Events of both groups have one internal type.
  group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.')[0] ?? group)

/** Go's error for a value of one type (`v1.Pod`) where another kind is expected. */
export const unknownConversion = (from: string, { group, kind }: GroupVersionKind) =>
  `converting (${from}) to (${internalPackage(group)}.${kind}): unknown conversion`
