import type { Call } from '../../handlers/call.ts'
import { storageApiVersion } from '../../store/conversion.ts'
import { requestVersion } from '../../store/write.ts'
import type { Headers } from '../headers.ts'
import type { Format } from './negotiate.ts'
import type { ZippedSegments } from './zipped-segments.ts'

/** The call and the format of a response. */
export interface Form {
  readonly call: Call
  readonly format: Format
}

/** How a response is rendered. */
export interface Rendering extends Form {
  readonly headers: Headers
  /** Compressed parts of large lists that were sent before. */
  readonly segments: ZippedSegments
}

/** True if the stored bytes can be sent unchanged. */
export function storedBytesServe({ call, format }: Form): boolean {
  return format.as === undefined && storedVersionServes(call, format)
}

/** True if the request is for plain JSON in the stored version: parts of the response can be cut from the stored bytes. */
export function storedVersionServes(call: Call, format: Format): boolean {
  if (format.encoding !== 'json' || format.pretty || call.served.definition.storedInOthers === true) return false
  return storageApiVersion(call.deps.definitions, call.served.definition) === requestVersion(call)
}

export const bodyHeaders = (headers: Headers, type: string): Headers => ({
  ...headers,
  'content-type': type,
  'cache-control': 'no-cache, private',
})
