import { goQuote } from '../../../machinery/field-error.ts'
import { typeMetaError } from '../../../machinery/go/type-meta-error.ts'
import { apiVersionOf, isObject, type Json, type JsonObject, parseApiVersion } from '../../../machinery/object.ts'
import { DecodeError, decodeObject } from '../../../machinery/schema/decode.ts'
import { badRequest } from '../../../machinery/status-error.ts'
import { metaSchema } from '../../kinds.ts'
import { joinDuplicates, type ParsedBody, parseBody } from '../body/body-text.ts'
import { inputEncoding } from '../body/media-type.ts'
import type { Call } from '../call.ts'

const GVK = { group: 'meta.k8s.io', version: 'v1', kind: 'DeleteOptions' }

/** The DeleteOptions in the body; undefined if there is no body. */
export async function receiveDeleteOptions(call: Call): Promise<JsonObject | undefined> {
  const options = await received(call)
  // Kubernetes logs the internal type, which it never shows elsewhere.
  if (options !== undefined) call.request.audit?.options({ kind: GVK.kind, apiVersion: 'meta.k8s.io/__internal', ...options })
  return options
}

async function received(call: Call): Promise<JsonObject | undefined> {
  const { body } = call.request
  if (body.kind === 'object') return body.value === undefined ? undefined : asOptions(call, { json: body.value as Json })
  const bytes = await body.read()
  if (bytes.length === 0) return undefined
  // Custom resources have no protobuf, but these options have.
  const encoding = inputEncoding(body.contentType, true)
  const { kinds } = call.deps
  const parsed = await parseBody(bytes, encoding, { gvk: GVK, bare: true, kinds })
  return asOptions(call, await joinDuplicates(metaSchema(kinds, GVK.kind), parsed))
}

/** Decodes leniently: unknown fields are skipped; DeleteOptions may name any version. */
function asOptions(call: Call, { json, numbers }: Pick<ParsedBody, 'json' | 'numbers'>): JsonObject {
  const fault = typeMetaError(json) ?? optionsFault(isObject(json) ? json : {})
  if (fault !== undefined) throw badRequest(fault)
  try {
    const { object } = decodeObject(metaSchema(call.deps.kinds, GVK.kind), json, numbers && { numbers })
    const { kind: _kind, apiVersion: _apiVersion, ...options } = object
    return options
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message)
    throw error
  }
}

/** Kinds of Kubernetes' scheme for bodies, beside DeleteOptions: those of any version, of meta.k8s.io/v1 and v1beta1, and of v1 alone. */
const UNVERSIONED = new Set(['Status', 'APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList', 'CreateOptions', 'UpdateOptions'])
const OF_V1_AND_V1BETA1 = new Set(['Table', 'TableOptions', 'PartialObjectMetadata', 'PartialObjectMetadataList'])
const OF_V1 = new Set(['ListOptions', 'GetOptions', 'PatchOptions', 'WatchEvent'])

/** Why a body that names this kind cannot be DeleteOptions. */
export function optionsFault({ apiVersion, kind }: JsonObject): string | undefined {
  const named = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : apiVersionOf(GVK)
  const gv = parseApiVersion(named)
  if (gv === undefined) return `unexpected GroupVersion string: ${named}`
  if (typeof kind !== 'string' || kind === '' || kind === GVK.kind) return undefined
  const known =
    UNVERSIONED.has(kind) ||
    (named === 'meta.k8s.io/v1' && OF_V1.has(kind)) ||
    (/^meta\.k8s\.io\/v1(beta1)?$/.test(named) && OF_V1_AND_V1BETA1.has(kind))
  if (!known) return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersionOf(gv))} in scheme "pkg/runtime/scheme.go:111"`
  // The others of both versions are one type in Go, which is named by v1.
  const version = kind === 'PartialObjectMetadataList' ? gv.version : 'v1'
  return `converting (${version}.${kind}) to (v1.DeleteOptions): unknown conversion`
}
