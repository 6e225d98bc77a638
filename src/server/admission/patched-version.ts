import { kindFault } from '../../apiserver/handlers/body/receive.ts'
import { goQuote, invalid } from '../../machinery/field-error.ts'
import { typeMetaError } from '../../machinery/go/type-meta-error.ts'
import { AS_GO, encodeJson } from '../../machinery/json/strict-json.ts'
import { apiVersionOf, type GroupVersionKind, isObject, type Json, type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { DecodeError, decodeObject } from '../../machinery/schema/decode.ts'
import { sortedKeys } from '../../machinery/sorted-keys.ts'
import { internalError, invalidObject, StatusError } from '../../machinery/status-error.ts'

/** The types that a patched object may name. */
export type KnownTypes = Parameters<typeof kindFault>[0]

interface PatchedObject {
  readonly patched: Json
  /** The object before the patch. */
  readonly seen: KubeObject
  /** Its version. */
  readonly version: string
}

/**
 * The version to which the patch of a webhook or a policy has changed an object. Another kind cannot take the object's place.
 * @throws {StatusError}
 */
export function patchedVersion(types: KnownTypes, definition: ResourceDefinition | undefined, object: PatchedObject): string {
  const { patched, seen, version } = object
  const failed = (why: string) => internalError(new Error(why))
  const fault = typeMetaError(patched)
  if (fault !== undefined) throw failed(fault)
  if (!isObject(patched)) return version
  const [apiVersion, kind] = [textOf(patched.apiVersion), textOf(patched.kind)]
  if (apiVersion === seen.apiVersion && kind === seen.kind) return version
  const gv = apiVersion === '' ? { group: '', version: '' } : parseApiVersion(apiVersion)
  const custom = definition?.customDefinition !== undefined && seen.kind === definition.names.kind
  if (custom && kind === '') throw failed(`Object 'Kind' is missing in '${encodeJson(sortedKeys(patched), AS_GO)}'`)
  if (gv === undefined) throw failed(`unexpected GroupVersion string: ${apiVersion}`)
  if (custom) return customVersion(definition, { ...gv, kind }, object)
  checkBuiltin(types, { ...(apiVersion === '' ? parseApiVersion(seen.apiVersion) : gv), kind: kind || seen.kind }, object)
  return version
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

function customVersion({ group, versions, names }: ResourceDefinition, named: GroupVersionKind, { patched, seen }: PatchedObject): string {
  if (named.group !== group || !versions.some((v) => v.version === named.version)) {
    const of = `${named.group}/${named.version}, Kind=${named.kind}`
    throw new StatusError({ code: 500, message: `${of} is unstructured and is not suitable for converting to ${goQuote(seen.apiVersion)}` })
  }
  if (named.kind === names.kind) return named.version
  const name = isObject(patched) && isObject(patched.metadata) ? textOf(patched.metadata.name) : ''
  throw invalidObject({ group, kind: named.kind }, name, [invalid('kind', named.kind, `must be ${names.kind}`)])
}

/** Kubernetes decodes the object as the type that it names, and converts it then. */
function checkBuiltin(types: KnownTypes, named: Partial<GroupVersionKind> & Pick<GroupVersionKind, 'kind'>, object: PatchedObject): void {
  const { group = '', version = '', kind } = named
  const wanted = { group: '', version: '', ...parseApiVersion(object.seen.apiVersion), kind: object.seen.kind }
  const fault = kindFault(types, wanted, { group, version, kind })
  if (fault === undefined || (apiVersionOf({ group, version }) === object.seen.apiVersion && kind === object.seen.kind)) return
  if (!types.kinds.has(group, version, kind)) throw internalError(new Error(fault))
  try {
    decodeObject(types.kinds.schema(group, version, kind), object.patched)
  } catch (error) {
    throw error instanceof DecodeError ? internalError(error) : error
  }
  throw new StatusError({ code: 500, message: fault })
}
