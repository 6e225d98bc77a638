import { ConfigurationFileError, notRegistered, readTypeMeta, readYaml } from '../../machinery/configuration-file.ts'
import { goDecode } from '../../machinery/go/go-decode.ts'
import { type GoStruct, goAny, goString } from '../../machinery/go/go-type.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { builtinResources } from '../../resources/builtin.ts'

/** The review that a webhook has to return. */
export interface ExpectedReview {
  /** `GROUP/VERSION`. */
  readonly apiVersion: string
  readonly kind: string
  readonly type: GoStruct
}

/** A successful response without a valid review; the message is that of Kubernetes' client. */
export class ReviewResponseError extends Error {
  override readonly name = 'ReviewResponseError'
  readonly code = 'wrong-answer'
}

interface ReviewResponse {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/**
 * Parses a webhook's response to a review. An absent kind or version counts as the wanted one.
 * @throws {ReviewResponseError}
 */
export function reviewResponse({ status, contentType, text }: ReviewResponse, wanted: ExpectedReview): JsonObject {
  if (text === '')
    throw new ReviewResponseError(`0-length response with status code: ${status} and content type: ${contentType || 'application/json'}`)
  try {
    const { value } = readYaml(text)
    const { apiVersion, kind } = readTypeMeta(value, text, wanted)
    if (apiVersion !== wanted.apiVersion || kind !== wanted.kind) throw wrongKind(apiVersion, kind, wanted)
    const decoded = goDecode(value, {
      ...wanted.type,
      fields: { apiVersion: goString, kind: goString, metadata: goAny, spec: goAny, ...wanted.type.fields },
    })
    if (decoded.fault !== undefined) throw new ReviewResponseError(decoded.fault)
    return isObject(decoded.value) ? decoded.value : {}
  } catch (error) {
    throw error instanceof ConfigurationFileError ? new ReviewResponseError(error.message) : error
  }
}

/** A kind that the client knows cannot be converted; an unknown one cannot even be decoded. */
function wrongKind(apiVersion: string, kind: string, wanted: ExpectedReview): ReviewResponseError {
  const version = (of: string) => of.slice(of.indexOf('/') + 1)
  if (!isBuiltin(apiVersion, kind)) return new ReviewResponseError(notRegistered(kind, apiVersion).message)
  return new ReviewResponseError(
    `converting (${version(apiVersion)}.${kind}) to (${version(wanted.apiVersion)}.${wanted.kind}): unknown conversion`,
  )
}

/** Versions of reviews that are accepted but not served any more. */
const OLDER = new Set(['authorization.k8s.io/v1beta1', 'authentication.k8s.io/v1beta1'])

function isBuiltin(apiVersion: string, kind: string): boolean {
  if (apiVersion === 'v1' && kind === 'Status') return true
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return builtinResources().some(
    (d) => d.group === group && d.names.kind === kind && (d.versions.some((v) => v.version === version) || OLDER.has(apiVersion)),
  )
}
