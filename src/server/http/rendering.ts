import { type Call, requestVersion } from '../handlers/call.ts'
import { storageApiVersion } from '../handlers/conversion.ts'
import type { Headers } from './exchange.ts'
import type { Format } from './negotiate.ts'

/** How an answer is to be written. */
export interface Rendering {
  readonly call: Call
  readonly format: Format
  readonly headers: Headers
}

/** True when the stored bytes can be sent as they are. */
export function storedBytesServe({ call, format }: Rendering): boolean {
  if (format.as !== undefined || format.encoding !== 'json' || format.pretty || call.served.definition.storedInOthers === true) return false
  return storageApiVersion(call.deps.definitions, call.served.definition) === requestVersion(call)
}

export const bodyHeaders = (headers: Headers, type: string): Headers => ({
  ...headers,
  'content-type': type,
  'cache-control': 'no-cache, private',
})
