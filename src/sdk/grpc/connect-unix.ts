import type { CallOptions, Client, ServiceError } from '@grpc/grpc-js'
import type { Clock } from '../../base/clock.ts'
import { holding } from '../../base/clock.ts'
import { limitedSignal } from '../../base/limited-signal.ts'
import { messageOf } from '../../base/message-of.ts'
import { onAbort } from '../../base/on-abort.ts'
import { quietErrors } from '../../base/quiet.ts'
import { GrpcError, grpcCode } from './grpc-error.ts'
import type { StreamMethod, UnaryMethod } from './method.ts'

export interface CallLimits {
  readonly signal: AbortSignal
  /** Then the call fails with DeadlineExceeded. */
  readonly timeoutMs: number
}

/** A connection to a gRPC server behind a unix socket. It is made at the first call; calls reject with `GrpcError`. */
export interface GrpcConnection extends Disposable {
  call<Q, A>(method: UnaryMethod<Q, A>, request: Q, limits: CallLimits): Promise<A>
  /** The server's messages, one after the other; the next is read only when the last has been processed. */
  stream<Q, A>(method: StreamMethod<Q, A>, request: Q, signal: AbortSignal): AsyncIterable<A>
  /** Connects now, and again whenever the connection is lost; reports the state, and each change of it, until the signal is aborted. */
  watch(tell: (connected: boolean) => void, signal: AbortSignal): void
}

export interface ConnectOptions {
  readonly clock: Clock
  /** One message from the server; beyond it the call fails with ResourceExhausted. Default 4 MiB, as Go's. */
  readonly mostBytes?: number
}

const MOST_BYTES = 4 * 1024 * 1024

/** The library is loaded here, at the first connection. */
export async function connectUnix(socketPath: string, { clock, mostBytes = MOST_BYTES }: ConnectOptions): Promise<GrpcConnection> {
  const {
    Client: GrpcClient,
    connectivityState,
    credentials,
    Metadata,
  } = await holding(clock, 'loading gRPC', async () => (await import('@grpc/grpc-js')).default)
  const client = new GrpcClient(`unix:${socketPath}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': mostBytes,
    'grpc.enable_retries': 0,
    'grpc.enable_channelz': 0,
    // Another process may serve on this path now: nothing is shared.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config_disable_resolution': 1,
  })
  const bytes = (b: Buffer) => b
  return {
    call: (method, request, limits) =>
      holding(clock, `a call of ${method.path} on ${socketPath}`, () => {
        const encoded = method.request.encode(request)
        return limited(clock, limits, async (signal) => {
          const answer = await unaryCall(client, method.path, encoded, { metadata: new Metadata(), signal })
          return read(method.path, () => method.answer.decode(answer))
        })
      }),
    async *stream(method, request, signal) {
      if (signal.aborted) return
      const call = client.makeServerStreamRequest(method.path, bytes, bytes, method.request.encode(request), new Metadata())
      using _ = onAbort(signal, () => call.cancel())
      try {
        for await (const message of call) yield read(method.path, () => method.answer.decode(message))
      } catch (error) {
        throw asGrpcError(error)
      } finally {
        quietErrors(call, 'a call that is cancelled reports that as an error')
        call.cancel()
      }
    },
    watch(tell, signal) {
      const channel = client.getChannel()
      let connected: boolean | undefined
      const look = () => {
        if (signal.aborted) return
        const state = channel.getConnectivityState(true)
        if (state === connectivityState.SHUTDOWN) return
        if (connected !== (state === connectivityState.READY)) {
          connected = state === connectivityState.READY
          tell(connected)
        }
        channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, look)
      }
      look()
    },
    [Symbol.dispose]: () => client.close(),
  }
}

interface UnaryInit {
  readonly metadata: import('@grpc/grpc-js').Metadata
  readonly signal: AbortSignal
}

function unaryCall(client: Client, path: string, request: Buffer, { metadata, signal }: UnaryInit): Promise<Buffer> {
  const bytes = (b: Buffer) => b
  const options: CallOptions = {}
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(path, bytes, bytes, request, metadata, options, (error: ServiceError | null, answer) => {
      listening[Symbol.dispose]()
      if (error !== null) reject(asGrpcError(error))
      else resolve(answer ?? Buffer.alloc(0))
    })
    const listening = onAbort(signal, () => call.cancel())
  })
}

/** Ends the call when its time is over, by this clock. */
async function limited<T>(clock: Clock, { signal, timeoutMs }: CallLimits, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  using limit = limitedSignal(clock, timeoutMs, { parent: signal })
  try {
    return await work(limit.signal)
  } catch (error) {
    if (limit.expired) throw new GrpcError('DeadlineExceeded', 'context deadline exceeded', { cause: error })
    throw error
  }
}

function read<T>(path: string, decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    const why = messageOf(error)
    throw new GrpcError('Internal', `grpc: failed to unmarshal the received message of ${path}: ${why}`, { cause: error })
  }
}

function asGrpcError(error: unknown): GrpcError {
  if (error instanceof GrpcError) return error
  const { code, details, message } = error as Partial<ServiceError>
  return new GrpcError(typeof code === 'number' ? grpcCode(code) : 'Unknown', details || message || String(error), { cause: error })
}
