import { ConfigurationFileError, notRegistered, readTypeMeta } from '../../../machinery/configuration-file.ts'
import { typeMetaError } from '../../../machinery/go/type-meta-error.ts'
import { apiVersionOf, isObject, type JsonObject } from '../../../machinery/object.ts'
import { DecodeError, decodeObject } from '../../../machinery/schema/decode.ts'
import type { Schema } from '../../../machinery/schema/schema.ts'
import { WebhookError } from './webhook-client.ts'

/** The review that was sent. */
export interface ReviewType {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: Schema | undefined
}

/** Kinds that the clients of webhooks know, besides Status. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'admission.k8s.io': ['AdmissionReview'],
  'apiextensions.k8s.io': ['ConversionReview', 'CustomResourceDefinition', 'CustomResourceDefinitionList'],
}
const VERSIONS = ['v1', 'v1beta1']

/**
 * The `response` of a webhook's answer; undefined if it has none. The answer is decoded as the type of its apiVersion and kind: that of
 * the request, if it names none. Throws `WebhookError` if it is another type, or if a field of it is ill-typed.
 */
export function decodeReview(answer: JsonObject, wanted: ReviewType): JsonObject | undefined {
  const fault = typeMetaError(answer) ?? typeFault(answer, wanted)
  if (fault !== undefined) throw failed(fault)
  const { response = null } = answer
  if (response === null || wanted.schema === undefined) return undefined
  try {
    const { object } = decodeObject(wanted.schema, { response })
    return isObject(object.response) ? object.response : undefined
  } catch (error) {
    throw error instanceof DecodeError ? failed(error.message) : error
  }
}

const failed = (why: string) => new WebhookError(`failed to call webhook: ${why}`)

function typeFault(answer: JsonObject, { group, version, kind }: ReviewType): string | undefined {
  const expected = { apiVersion: apiVersionOf({ group, version }), kind }
  try {
    const named = readTypeMeta(answer, '', expected)
    if (named.apiVersion === expected.apiVersion && named.kind === kind) return undefined
    const known = VERSIONS.find((v) => named.apiVersion === `${group}/${v}` && KNOWN[group]?.includes(named.kind))
    const found = known ?? (named.apiVersion === 'v1' && named.kind === 'Status' ? 'v1' : undefined)
    return found === undefined
      ? notRegistered(named.kind, named.apiVersion).message
      : `converting (${found}.${named.kind}) to (${version}.${kind}): unknown conversion`
  } catch (error) {
    if (error instanceof ConfigurationFileError) return error.message
    throw error
  }
}
