import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'

/** Answers from this size on are compressed for clients that accept it. */
export const COMPRESS_FROM = 128 * 1024

const zip = promisify(gzip)

export const acceptsGzip = (headers: IncomingHttpHeaders) =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((part) => part.trim().split(';')[0] === 'gzip')

/** The compressed bytes; undefined when the body is to be sent as it is. */
export async function compress(headers: IncomingHttpHeaders, body: string | Uint8Array): Promise<Uint8Array | undefined> {
  if (body.length < COMPRESS_FROM || !acceptsGzip(headers)) return undefined
  return zip(body, { level: constants.Z_BEST_SPEED })
}
