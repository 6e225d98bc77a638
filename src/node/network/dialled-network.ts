import http from 'node:http'
import http2 from 'node:http2'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import type { Clock } from '../../base/clock.ts'
import { networkErrorText } from '../../base/http/network-error.ts'
import { limitedSignal } from '../../base/limited-signal.ts'
import { onAbort } from '../../base/on-abort.ts'
import { decodeGrpcMessage } from '../../sdk/grpc/grpc-message.ts'
import type { HttpRequest, HttpResponse, PodNetwork } from '../runtime/pod-network.ts'

/** So much of an answer is read. */
const MOST_BODY = 10 * 1024

/** A connection to a port of a pod, open. */
export type Dial = (host: string, port: number, signal: AbortSignal) => Promise<Duplex>

/** The ports of pods, for probes and hooks, wherever the connections come from. */
export function dialledNetwork(dial: Dial, clock: Clock): PodNetwork {
  return {
    async http(request, signal) {
      const { scheme, host, port, path, timeoutMs } = request
      const shown = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`
      return within(
        { clock, timeoutMs, late: 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)' },
        signal,
        async (limit) => exchange(request, await dial(host, port, limit), limit),
      ).catch((error: unknown) => {
        if (signal.aborted) throw error
        throw new Error(`Get "${shown}": ${networkErrorText(error)}`, { cause: error })
      })
    },
    async tcp({ host, port, timeoutMs }, signal) {
      await within({ clock, timeoutMs, late: `dial tcp ${host}:${port}: i/o timeout` }, signal, async (limit) => {
        const connection = await dial(host, port, limit)
        connection.destroy()
      }).catch((error: unknown) => {
        if (signal.aborted) throw error
        throw new Error(networkErrorText(error), { cause: error })
      })
    },
    async grpcHealth({ host, port, service, timeoutMs }, signal) {
      const seconds = `${timeoutMs / 1000}s`
      let connected = false
      const late = () =>
        connected
          ? `timeout: health rpc did not complete within ${seconds}`
          : `timeout: failed to connect service "${host}:${port}" within ${seconds}: context deadline exceeded`
      return within({ clock, timeoutMs, late }, signal, async (limit) => {
        const connection = await dial(host, port, limit).catch(() => undefined)
        // gRPC tries again until the time is over.
        if (connection === undefined) return clock.sleep(timeoutMs * 2, limit).then(() => 'UNKNOWN' as const)
        connected = true
        return health(connection, service, limit).catch((error: unknown) => {
          if (limit.aborted) throw error
          const why = error instanceof RpcError ? error.message : `rpc error: code = Unavailable desc = ${networkErrorText(error)}`
          throw new Error(`error: health rpc probe failed: ${why}`, { cause: error })
        })
      })
    },
  }
}

interface Limit {
  readonly clock: Clock
  readonly timeoutMs: number
  /** What is said when the time is over. */
  readonly late: string | (() => string)
}

async function within<T>({ clock, timeoutMs, late }: Limit, signal: AbortSignal, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
  const reason = () => new Error(typeof late === 'string' ? late : late())
  using limit = limitedSignal(clock, timeoutMs, { parent: signal, reason })
  try {
    return await work(limit.signal)
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error
  }
}

/** Ends a connection when the signal is aborted, and at the latest when the work is done. */
async function over<T>(connection: Duplex, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  using _ = onAbort(signal, () => connection.destroy(signal.reason instanceof Error ? signal.reason : undefined))
  try {
    return await work()
  } finally {
    connection.destroy()
  }
}

function exchange(request: HttpRequest, plain: Duplex, signal: AbortSignal): Promise<HttpResponse> {
  // Probes take any certificate.
  const connection = request.scheme === 'https' ? tls.connect({ socket: plain, rejectUnauthorized: false }) : plain
  return over(
    connection,
    signal,
    () =>
      new Promise((resolve, reject) => {
        const named = new Map(request.headers.map(({ name, value }) => [name, value]))
        const host = request.host.includes(':') ? `[${request.host}]` : request.host
        const hasHost = request.headers.some(({ name }) => name.toLowerCase() === 'host')
        const sent = http.request({
          createConnection: () => connection,
          path: request.path,
          setHost: false,
          headers: { ...(!hasHost && { Host: `${host}:${request.port}` }), ...Object.fromEntries(named) },
        })
        sent.on('error', reject)
        connection.on('error', reject)
        sent.on('response', (answer) => {
          const chunks: Buffer[] = []
          let size = 0
          const done = () => {
            const body = Buffer.concat(chunks).subarray(0, MOST_BODY).toString()
            const { location } = answer.headers
            resolve({ status: answer.statusCode ?? 0, body, ...(location !== undefined && { location }) })
          }
          answer.on('data', (chunk: Buffer) => {
            chunks.push(chunk)
            size += chunk.length
            if (size >= MOST_BODY) done()
          })
          answer.on('end', done)
          answer.on('error', reject)
        })
        sent.end()
      }),
  )
}

const SERVING = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const
const UNIMPLEMENTED = 12
const CODES = (
  'OK Canceled Unknown InvalidArgument DeadlineExceeded NotFound AlreadyExists PermissionDenied ResourceExhausted FailedPrecondition Aborted OutOfRange ' +
  'Unimplemented Internal Unavailable DataLoss Unauthenticated'
).split(' ')

/** The server has answered, with a code that is not OK. */
class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code = 'rpc'
}

/** `grpc.health.v1.Health/Check`: one message there, one back. */
function health(connection: Duplex, service: string, signal: AbortSignal): ReturnType<PodNetwork['grpcHealth']> {
  return over(
    connection,
    signal,
    () =>
      new Promise((resolve, reject) => {
        const session = http2.connect('http://health', { createConnection: () => connection })
        session.on('error', reject)
        const stream = session.request({
          ':method': 'POST',
          ':path': '/grpc.health.v1.Health/Check',
          'content-type': 'application/grpc',
          te: 'trailers',
          'user-agent': 'kube-probe/1.36',
        })
        const chunks: Buffer[] = []
        let code = 0
        let message = ''
        const status = (headers: { readonly [name: string]: unknown }) => {
          if (headers['grpc-status'] !== undefined) code = Number(headers['grpc-status'])
          if (headers['grpc-message'] !== undefined) message = decodeGrpcMessage(String(headers['grpc-message']))
        }
        stream.on('response', status)
        stream.on('trailers', status)
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('error', reject)
        stream.on('close', () => reject(Object.assign(new Error('EOF'), { code: 'ECONNRESET' })))
        stream.on('end', () => {
          if (code === UNIMPLEMENTED) return resolve('unimplemented')
          if (code !== 0) return reject(new RpcError(`rpc error: code = ${CODES[code] ?? `Code(${code})`} desc = ${message}`))
          // A frame of five bytes, then field 1 as a number; a number that is zero is not sent.
          const answer = Buffer.concat(chunks).subarray(5)
          resolve(SERVING[answer[0] === 0x08 ? (answer[1] ?? 0) : 0] ?? 'UNKNOWN')
        })
        stream.end(framed(service))
      }),
  )
}

/** `HealthCheckRequest{service}` in its frame. */
function framed(service: string): Buffer {
  const text = Buffer.from(service)
  const message = text.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, ...varint(text.length)]), text])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

function varint(n: number): number[] {
  return n < 0x80 ? [n] : [(n & 0x7f) | 0x80, ...varint(n >>> 7)]
}
