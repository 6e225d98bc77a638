import { goQuote } from '../../../machinery/field-error.ts'
import { typeMetaError } from '../../../machinery/go/type-meta-error.ts'
import { apiVersionOf, isObject, type Json, type JsonObject, parseApiVersion } from '../../../machinery/object.ts'
import { DecodeError, decodeObject } from '../../../machinery/schema/decode.ts'
import { badRequest } from '../../../machinery/status-error.ts'
import { metaSchema } from '../../kinds.ts'
import { parseBody } from '../body/body-text.ts'
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
  if (body.kind === 'object') return body.value === undefined ? undefined : asOptions(call, body.value as Json)
  const bytes = await body.read()
  if (bytes.length === 0) return undefined
  const encoding = inputEncoding(body.contentType, call.served.definition.customDefinition === undefined)
  const { json } = await parseBody(bytes, encoding, { gvk: GVK, bare: true, kinds: call.deps.kinds })
  return asOptions(call, json)
}

/** Decodes leniently: unknown fields are skipped; another kind is refused, in any version. */
function asOptions(call: Call, json: Json): JsonObject {
  const fault = typeMetaError(json)
  if (fault !== undefined) throw badRequest(fault)
  const named = isObject(json) ? json : {}
  if (typeof named.kind === 'string' && named.kind !== '' && named.kind !== GVK.kind) {
    const gv = parseApiVersion(String(named.apiVersion || 'meta.k8s.io/v1')) ?? GVK
    const scheme = 'in scheme "pkg/runtime/scheme.go:111"'
    throw badRequest(`no kind ${goQuote(named.kind)} is registered for version ${goQuote(apiVersionOf(gv))} ${scheme}`)
  }
  try {
    const { object } = decodeObject(metaSchema(call.deps.kinds, GVK.kind), json)
    const { kind: _kind, apiVersion: _apiVersion, ...options } = object
    return options
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message)
    throw error
  }
}
