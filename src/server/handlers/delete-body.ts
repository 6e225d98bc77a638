import type { Json, JsonObject } from '../../machinery/object.ts'
import { badRequest } from '../../machinery/status-error.ts'
import { parseBody } from './body-text.ts'
import type { Call } from './call.ts'
import { inputEncoding } from './media-type.ts'

const GVK = { group: 'meta.k8s.io', version: 'v1', kind: 'DeleteOptions' }

/** The DeleteOptions in the body; undefined when there is no body. */
export async function receiveDeleteOptions(call: Call): Promise<JsonObject | undefined> {
  const { body } = call
  if (body.kind === 'object') return body.value === undefined ? undefined : asOptions(body.value as Json)
  const bytes = await body.read()
  if (bytes.length === 0) return undefined
  const encoding = inputEncoding(body.contentType, call.served.definition.customDefinition === undefined)
  const { json } = await parseBody(bytes, encoding, { gvk: GVK, bare: true })
  return asOptions(json)
}

function asOptions(json: Json): JsonObject {
  if (json === null) return {}
  if (typeof json !== 'object' || Array.isArray(json)) throw badRequest('the body of a delete must be DeleteOptions')
  const { kind: _kind, apiVersion: _apiVersion, ...options } = json
  return options
}
