import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'

/** Least size in bytes of a response that is compressed for clients that accept it. */
export const COMPRESS_FROM = 128 * 1024

const zip = promisify(gzip)

/** As Kubernetes reads the header: `gzip` by itself, without a quality. */
export const acceptsGzip = (headers: IncomingHttpHeaders) =>
  String(headers['accept-encoding'] ?? '')
    .split(',')
    .some((part) => part.trim() === 'gzip')

/** Compressed forms of shared bytes (documents, stored objects): kept as long as those are, and computed once for concurrent requests. */
const shared = new WeakMap<Uint8Array, Promise<Buffer>>()

/** The compressed bytes; undefined if the body is to be sent unchanged. */
export async function compress(headers: IncomingHttpHeaders, body: string | Uint8Array): Promise<Uint8Array | undefined> {
  if (body.length < COMPRESS_FROM || !acceptsGzip(headers)) return undefined
  if (typeof body === 'string') return zipped(body)
  let made = shared.get(body)
  if (made === undefined) {
    made = zipped(body)
    shared.set(body, made)
  }
  return made
}

const zipped = (body: string | Uint8Array): Promise<Buffer> => zip(body, { level: constants.Z_BEST_SPEED })
