import { inTurns, type Later } from '../../../base/steps.ts'
import { giveTurn } from '../../../base/turns.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { typeMetaError } from '../../../machinery/go/type-meta-error.ts'
import { encodeJson } from '../../../machinery/json/strict-json.ts'
import {
  apiVersionOf,
  asKubeObject,
  type GroupVersionKind,
  isObject,
  type Json,
  type KubeObject,
  parseApiVersion,
} from '../../../machinery/object.ts'
import { type Decoded, DecodeError, type DecodeOptions, decodeObject, decodeObjectInSteps } from '../../../machinery/schema/decode.ts'
import { alsoEmpty } from '../../../machinery/schema/given-empty.ts'
import type { Schema } from '../../../machinery/schema/schema.ts'
import { badRequest } from '../../../machinery/status-error.ts'
import { isDeeper, MOST_DEPTH } from '../../../machinery/weight.ts'
import type { RequestBody } from '../../request/request-body.ts'
import type { Call, CallDeps } from '../call.ts'
import type { FieldValidation } from '../options.ts'
import { cannotHandle, joinDuplicates, parseBody, yamlWarnings } from './body-text.ts'
import type { BodySource, Expected } from './expected.ts'
import { inputEncoding } from './media-type.ts'
import { INTERNAL, otherTypeObjections } from './other-type.ts'
import { unrecognizedBody } from './unrecognized-body.ts'

/** For longer bodies, parsing, decoding and what follows each get a turn of the event loop. */
const LONG_BODY = 128 * 1024

type BodyText = Extract<RequestBody, { kind: 'bytes' }>

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

/** JSON → an object of the expected kind, as Go decodes it. */
export async function typed(call: Call, expected: Expected, json: Json, source: BodySource): Promise<KubeObject> {
  const { gvk } = expected
  const named = kindOf(json, source.bytes, gvk)
  const apiVersion = expected.custom ? apiVersionOf(gvk) : checkKind(call, expected, named, json, source)
  const kind = expected.custom ? named.kind : gvk.kind
  const strict = source.validation === 'Strict'
  const options = {
    // Kubernetes has no schema by which the fields of another kind are unknown.
    fieldValidation: kind !== gvk.kind ? ('Ignore' as const) : strict ? ('Warn' as const) : source.validation,
    share: source.bytes !== undefined,
    ...(source.duplicates && { duplicates: source.duplicates }),
    ...(source.places && { places: source.places }),
    ...(source.numbers && { numbers: source.numbers }),
  }
  try {
    if (expected.custom) checkCustomKind(call, expected, named, json, source)
    const { object, warnings } =
      expected.decode === undefined ? await decodeBuiltin(expected.schema, json, options, source.bytes) : expected.decode(json, options)
    const objections = source.strict && source.validation !== 'Ignore' ? [source.strict, ...warnings] : warnings
    if (strict && objections.length > 0) throw new DecodeError('strict', `strict decoding error: ${objections.join(', ')}`)
    const warned = source.validation === 'Warn' ? [...yamlWarnings(source.strict ?? ''), ...warnings] : objections
    for (const text of warned) call.request.warn(text)
    const { apiVersion: _a, kind: _k, metadata, ...rest } = object
    return asKubeObject(alsoEmpty({ apiVersion, kind, metadata: metadata ?? {}, ...rest }, object))
  } catch (error) {
    if (error instanceof DecodeError) throw cannotHandle(gvk, { ...gvk, kind }, error.message)
    throw error
  }
}

/** Decodes a long body in several turns. */
function decodeBuiltin(schema: Schema, json: Json, options: DecodeOptions, bytes: Buffer | undefined): Later<Decoded> {
  if (bytes === undefined || bytes.length <= LONG_BODY) return decodeObject(schema, json, options)
  return inTurns(decodeObjectInSteps(schema, json, options))
}

const bytesOf = (json: Json): Buffer => Buffer.from(encodeJson(json))

function kindOf(json: Json, bytes: Buffer | undefined, gvk: GroupVersionKind): { apiVersion: string; kind: string } {
  const unrecognized = (why: string) => unrecognizedBody(gvk.kind, why, bytes ?? bytesOf(json))
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
function checkKind(call: Call, expected: Expected, named: { apiVersion: string; kind: string }, json: Json, source: BodySource): string {
  const { gvk } = expected
  const kind = named.kind === '' ? gvk.kind : named.kind
  if (kind === gvk.kind && ALSO_ACCEPTED[kind]?.includes(named.apiVersion) === true) return named.apiVersion
  const gv = parseApiVersion(named.apiVersion)
  const body = () => source.bytes ?? bytesOf(json)
  if (gv === undefined) throw unrecognizedBody(gvk.kind, `unexpected GroupVersion string: ${named.apiVersion}`, body())
  const other = { ...withVersion(gv, gvk), kind }
  if (apiVersionOf(other) === apiVersionOf(gvk) && kind === gvk.kind) return apiVersionOf(gvk)
  if (other.version === '') throw cannotHandle(gvk, other, `Object 'apiVersion' is missing in '${body().toString()}'`)
  const fault = kindFault(call.deps, gvk, other)
  if (fault !== undefined) throw cannotHandle(gvk, other, fault)
  reportOther(call, expected, other, json, source)
  throw badRequest(`the API version in the data (${apiVersionOf(other)}) does not match the expected API version (${apiVersionOf(gvk)})`)
}

/** A body without a version is of the expected one, if it names the expected group or none. */
function withVersion(gv: { group: string; version: string }, { group, version }: GroupVersionKind) {
  return gv.version === '' && (gv.group === '' || gv.group === group) ? { group, version } : gv
}

/** Reports the fields that a body of another type has beyond that type. */
function reportOther(call: Call, expected: Expected, other: GroupVersionKind, json: Json, source: BodySource): void {
  const objections = otherTypeObjections(call, expected, other, json, source)
  if (objections.length === 0) return
  if (source.validation === 'Strict' && other.version === '')
    throw badRequest("Object 'apiVersion' is missing in 'object has no apiVersion field'")
  if (source.validation === 'Strict') throw cannotHandle(other, other, `strict decoding error: ${objections.join(', ')}`)
  for (const text of objections) call.request.warn(text)
}

/** Why an object of this kind is not the expected one; undefined for another version of the expected kind. */
export function kindFault(
  deps: Pick<CallDeps, 'definitions' | 'kinds'>,
  gvk: GroupVersionKind,
  named: GroupVersionKind,
): string | undefined {
  const { definitions, kinds } = deps
  if (named.version === INTERNAL) return internalFault(deps, gvk, named)
  const isSame = kinds.isUnserved(named) || SAME_KIND.get(named.kind)?.includes(apiVersionOf(named)) === true
  if (named.kind === gvk.kind && isSame) return undefined
  const found = definitions.byKind(named.group, named.kind)
  const registered =
    kinds.isKnown(named, gvk.group) || (named.group === gvk.group && found?.versions.some((v) => v.version === named.version) === true)
  if (!registered)
    return `no kind ${goQuote(named.kind)} is registered for version ${goQuote(apiVersionOf(named))} in scheme "pkg/runtime/scheme.go:111"`
  if (named.kind === gvk.kind && named.group === gvk.group) return undefined
  return unknownConversion(`${kinds.goPackage(named)}.${named.kind}`, gvk)
}

/** The same for Go's internal types, one for each kind. */
export function internalFault(
  { definitions }: Pick<CallDeps, 'definitions'>,
  gvk: GroupVersionKind,
  named: Omit<GroupVersionKind, 'version'>,
) {
  const { group, kind } = named
  if (kind === gvk.kind && internalPackage(group) === internalPackage(gvk.group)) return undefined
  const found = definitions.byKind(group, kind)
  if (found !== undefined && found.customDefinition === undefined) return unknownConversion(`${internalPackage(group)}.${kind}`, gvk)
  return `no kind ${goQuote(kind)} is registered for the internal version of group ${goQuote(group)} in scheme "pkg/runtime/scheme.go:111"`
}

/** Custom objects must name their kind. A wrong one is found when the object is validated. */
function checkCustomKind(
  call: Call,
  expected: Expected,
  named: { apiVersion: string; kind: string },
  json: Json,
  source: BodySource,
): void {
  const { gvk } = expected
  const { bytes } = source
  const wanted = apiVersionOf(gvk)
  if (named.kind === '') {
    const body = bytes ?? bytesOf(json)
    const fault = `Object 'Kind' is missing in '${body.toString()}'`
    throw source.validation === 'Ignore' ? cannotHandle(gvk, gvk, fault) : unrecognizedBody(gvk.kind, fault, body)
  }
  if (isObject(json) && json.apiVersion === null)
    throw cannotHandle(
      gvk,
      { group: '', version: '', kind: named.kind },
      '.apiVersion accessor error: <nil> is of the type <nil>, expected string',
    )
  if (named.apiVersion === wanted && named.kind === gvk.kind) return
  const gv = parseApiVersion(named.apiVersion)
  if (gv === undefined) throw unrecognizedBody(gvk.kind, `unexpected GroupVersion string: ${named.apiVersion}`, bytes ?? bytesOf(json))
  reportOther(call, expected, { ...gv, kind: named.kind }, json, source)
  if (named.apiVersion !== wanted)
    throw badRequest(`the API version in the data (${apiVersionOf(gv)}) does not match the expected API version (${wanted})`)
}

/** The Go package of a group's internal types. */
export const internalPackage = (group: string) =>
  // Events of both groups have one internal type.
  group === '' || group === 'events.k8s.io' ? 'core' : (group.split('.')[0] ?? group)

/** Go's error for a value of one type (`v1.Pod`) where another kind is expected. */
const unknownConversion = (from: string, { group, kind }: GroupVersionKind) =>
  `converting (${from}) to (${internalPackage(group)}.${kind}): unknown conversion`
