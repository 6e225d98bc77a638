import type { Steps } from '../../../base/steps.ts'
import { goQuote, invalid } from '../../../machinery/field-error.ts'
import { typeMetaError } from '../../../machinery/go/type-meta-error.ts'
import { showNumbers, unmarkNumbers } from '../../../machinery/json/number-marks.ts'
import { encodeJson } from '../../../machinery/json/strict-json.ts'
import {
  apiVersionOf,
  asKubeObject,
  isObject,
  type Json,
  type JsonObject,
  type KubeObject,
  parseApiVersion,
} from '../../../machinery/object.ts'
import { DecodeError, decodeObject, decodeObjectInSteps } from '../../../machinery/schema/decode.ts'
import { alsoEmpty } from '../../../machinery/schema/given-empty.ts'
import { hasUntypedValues } from '../../../machinery/schema/untyped.ts'
import { sortedKeys } from '../../../machinery/sorted-keys.ts'
import { internalError, invalidObject } from '../../../machinery/status-error.ts'
import { customObjections, INTERNAL } from '../body/other-type.ts'
import { internalFault, kindFault } from '../body/receive.ts'
import { withManagers } from './beside-managers.ts'
import { badPatch, objectTo, type PatchTarget } from './patch-source.ts'

export interface Patched {
  readonly before: JsonObject
  readonly after: Json
  /** Sorts the members of `after` as Go's patch library does: the order shows in messages, custom objects and values without a type. */
  readonly inOrder: () => Steps<Json>
  /** Errors of strict decoding of the patch itself. */
  readonly objections: readonly string[]
  /** `after` may have marked numbers. */
  readonly marked: boolean
}

/** Decodes a patched object into its type. */
export function* decodePatched(target: PatchTarget, patched: Patched): Steps<KubeObject> {
  return (yield* decodeFaultless(target, patched)) ?? (yield* decodeInOrder(target, patched, yield* patched.inOrder()))
}

/** Decodes a built-in object that gives no cause for a message, and whose members' order shows nowhere; undefined for any other. */
function* decodeFaultless(target: PatchTarget, { after, objections, marked }: Patched): Steps<KubeObject | undefined> {
  const { gvk, schema, decode } = target
  if (marked || decode !== undefined || objections.length > 0 || !isObject(after) || hasUntypedValues(schema)) return undefined
  if (after.kind !== gvk.kind || after.apiVersion !== apiVersionOf(gvk)) return undefined
  try {
    const { object, warnings } = yield* decodeObjectInSteps(schema, after, modeOf(target))
    return warnings.length > 0 ? undefined : ofType(gvk, object)
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

function* decodeInOrder(target: PatchTarget, { before, objections, marked }: Patched, text: Json): Steps<KubeObject> {
  const { gvk } = target
  const custom = target.decode !== undefined
  const { value: after, numbers } = marked ? unmarkNumbers(text) : { value: text, numbers: new Map() }
  // Go prints values without a type of their own as maps.
  const shown = () => {
    const all = custom ? after : text
    const whole = target.managedFields === undefined ? all : withAside(before, all, target.managedFields)
    return showNumbers(encodeJson(custom ? sortedKeys(whole) : whole, { html: true }))
  }
  if (!custom && isObject(after) && isInternal(gvk, after)) return decodeInternal(target, { after, shown })
  const fault = (isObject(after) ? typeMetaError(after) : undefined) ?? (custom ? undefined : otherKind(target, after, shown))
  if (fault !== undefined) throw badPatch(shown(), fault)
  if (custom) checkCustomType(target, after, shown)
  try {
    const { object, warnings } =
      target.decode === undefined
        ? yield* decodeObjectInSteps(target.schema, after, { ...modeOf(target), numbers })
        : target.decode(after, modeOf(target))
    objectTo(target, [...objections, ...warnings], shown)
    return ofType(gvk, object)
  } catch (error) {
    if (error instanceof DecodeError) throw badPatch(shown(), error.message)
    throw error
  }
}

const modeOf = ({ fieldValidation }: PatchTarget) => ({
  fieldValidation: fieldValidation === 'Ignore' ? ('Ignore' as const) : ('Warn' as const),
})

function ofType(gvk: PatchTarget['gvk'], object: JsonObject): KubeObject {
  const { apiVersion: _a, kind: _k, metadata, ...rest } = object
  return asKubeObject(alsoEmpty({ apiVersion: apiVersionOf(gvk), kind: gvk.kind, metadata: metadata ?? {}, ...rest }, object))
}

/** Whether the object names no version, or the internal one, of the expected group. */
function isInternal({ group }: PatchTarget['gvk'], { apiVersion }: JsonObject): boolean {
  const named = parseApiVersion(textOr(apiVersion, ''))
  if (named === undefined) return false
  if (named.version === '') return named.group === '' || named.group === group
  return named.version === INTERNAL && named.group === group
}

/**
 * Without an apiVersion Kubernetes decodes into its internal type, whose fields have no JSON names: the object is empty, as every field is
 * unknown.
 */
function decodeInternal(target: PatchTarget, { after, shown }: { readonly after: JsonObject; readonly shown: () => string }): KubeObject {
  const { gvk, deps } = target
  const fault = typeMetaError(after) ?? internalFault(deps, gvk, { group: gvk.group, kind: textOr(after.kind, gvk.kind) })
  if (fault !== undefined) throw badPatch(shown(), fault)
  const unknown = Object.keys(after).filter((name) => name !== 'apiVersion' && name !== 'kind')
  objectTo(
    target,
    unknown.map((name) => `unknown field ${goQuote(name)}`),
    shown,
  )
  return asKubeObject({ apiVersion: apiVersionOf(gvk), kind: gvk.kind, metadata: {} })
}

/** A patch must not change the kind of a custom object: that is a fault of its fields. */
function checkCustomType(target: PatchTarget, after: Json, shown: () => string): void {
  const { gvk, writes } = target
  if (!isObject(after)) return
  if (!after.kind) throw badPatch(shown(), `Object 'Kind' is missing in '${shown()}'`)
  if (after.apiVersion === null) throw badPatch(shown(), '.apiVersion accessor error: <nil> is of the type <nil>, expected string')
  const named = parseApiVersion(textOr(after.apiVersion, ''))
  if (named === undefined) throw badPatch(shown(), `unexpected GroupVersion string: ${after.apiVersion}`)
  const found = { kind: textOr(after.kind, gvk.kind), apiVersion: apiVersionOf(named) }
  const wanted = { kind: gvk.kind, apiVersion: apiVersionOf(gvk) }
  const faults = (['kind', 'apiVersion'] as const).flatMap((field) =>
    found[field] === wanted[field] ? [] : [invalid(field, found[field], `must be ${wanted[field]}`)],
  )
  if (faults.length === 0) return
  if (writes === undefined) {
    const versions = target.deps.definitions.byKind(gvk.group, gvk.kind)?.versions ?? []
    objectTo(target, customObjections({ ...target, versions }, { ...named, kind: found.kind }, after, modeOf(target)), shown)
  }
  if (named.version === '') throw internalError(new Error("Object 'apiVersion' is missing in 'object has no apiVersion field'"))
  // A status is written into the stored object, which keeps its kind.
  if (writes !== undefined) return
  const metadata = isObject(after.metadata) ? after.metadata : {}
  throw invalidObject({ group: named.group, kind: found.kind }, String(metadata.name ?? ''), faults)
}

/** The error for a patch that changes the kind of the object; undefined if it does not. */
function otherKind({ deps, gvk }: PatchTarget, after: Json, shown: () => string): string | undefined {
  if (after === null || typeof after !== 'object' || Array.isArray(after)) return undefined
  const named = { apiVersion: textOr(after.apiVersion, apiVersionOf(gvk)), kind: textOr(after.kind, gvk.kind) }
  if (named.apiVersion === apiVersionOf(gvk) && named.kind === gvk.kind) return undefined
  const gv = parseApiVersion(named.apiVersion)
  if (gv === undefined) return `unexpected GroupVersion string: ${named.apiVersion}`
  if (gv.version === '') return `Object 'apiVersion' is missing in '${shown()}'`
  const other = { ...gv, kind: named.kind }
  try {
    const { kinds } = deps
    if (kinds.has(other.group, other.version, other.kind)) decodeObject(kinds.schema(other.group, other.version, other.kind), after)
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
  return kindFault(deps, gvk, other)
}

const textOr = (value: Json | undefined, otherwise: string) => (typeof value === 'string' && value !== '' ? value : otherwise)

/** The object with the managed fields that were set aside: in a patched metadata by their name, else last. */
function withAside(before: JsonObject, after: Json, managedFields: NonNullable<PatchTarget['managedFields']>): Json {
  const whole = withManagers(after, managedFields)
  if (!isObject(after) || !isObject(whole) || after.metadata === before.metadata) return whole
  const { metadata } = whole
  if (!isObject(metadata)) return whole
  const sorted = Object.keys(metadata).sort()
  return { ...whole, metadata: Object.fromEntries(sorted.map((name) => [name, metadata[name]])) }
}
