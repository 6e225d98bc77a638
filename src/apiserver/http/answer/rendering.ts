import type { Call } from '../../handlers/call.ts'
import { storageApiVersion } from '../../store/conversion.ts'
import { requestVersion } from '../../store/write.ts'
import type { Headers } from '../headers.ts'
import type { Format } from './negotiate.ts'
import type { ZippedSegments } from './zipped-segments.ts'

/** What is to be written for which call. */
export interface Form {
  readonly call: Call
  readonly format: Format
}

/** How an answer is to be written. */
export interface Rendering extends Form {
  readonly headers: Headers
  /** Compressed parts of lists that were asked for before. */
  readonly segments: ZippedSegments
}

/** True when the stored bytes can be sent as they are. */
export function storedBytesServe({ call, format }: Form): boolean {
  return format.as === undefined && storedVersionServes(call, format)
}

/** True when plain JSON is asked for, in the version that is stored: parts of the answer can be cut from the stored bytes. */
export function storedVersionServes(call: Call, format: Format): boolean {
  if (format.encoding !== 'json' || format.pretty || call.served.definition.storedInOthers === true) return false
  return storageApiVersion(call.deps.definitions, call.served.definition) === requestVersion(call)
}

export const bodyHeaders = (headers: Headers, type: string): Headers => ({
  ...headers,
  'content-type': type,
  'cache-control': 'no-cache, private',
})
