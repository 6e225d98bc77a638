import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server, ServerCredentials, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js'
import { type Clock, holding } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import { onAbort } from '../../base/on-abort.ts'
import { withPlainAuthority } from './authority/plain-authority.ts'
import { GrpcError } from './grpc-error.ts'
import type { StreamMethod, UnaryMethod } from './method.ts'

/** Why a socket could not be opened; the message has its path and what to do. */
export class SocketError extends Error {
  override readonly name = 'SocketError'
  readonly code = 'socket'
}

type Serve = (server: Server) => void

/** A unary method and its handler. An exception is sent to the client: a `GrpcError` as it is, all else as Unknown, as Go does it. */
export function answer<Q, A>(method: UnaryMethod<Q, A>, handle: (request: Q) => Promise<A> | A): Serve {
  const unaryHandler = (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
    const work = async () => method.answer.encode(await handle(decoded(method, call.request)))
    work().then(
      (bytes) => done(null, bytes),
      (error) => done(statusOf(error)),
    )
  }
  return (server) => void server.register(method.path, unaryHandler, bytes, bytes, 'unary')
}

/** A streaming method, which sends until the client leaves (then `signal` is aborted) or the iterable ends. */
export function tell<Q, A>(method: StreamMethod<Q, A>, handle: (request: Q, signal: AbortSignal) => AsyncIterable<A>): Serve {
  const streamHandler = (call: ServerWritableStream<Buffer, Buffer>) => {
    const gone = new AbortController()
    call.on('cancelled', () => gone.abort())
    call.on('error', () => gone.abort())
    const work = async () => {
      for await (const message of handle(decoded(method, call.request), gone.signal)) {
        if (gone.signal.aborted) return
        if (!call.write(method.answer.encode(message))) await drained(call, gone.signal)
      }
      call.end()
    }
    // Not `destroy`: what is destroyed sends no status, and the client would wait for it for ever.
    work().catch((error) => call.emit('error', Object.assign(new Error(messageOf(error), { cause: error }), statusOf(error))))
  }
  return (server) => void server.register(method.path, streamHandler, bytes, bytes, 'serverStream')
}

const bytes = (b: Buffer) => b

const decoded = <Q>(method: { readonly request: { decode(b: Uint8Array): Q } }, request: Buffer): Q => {
  try {
    return method.request.decode(request)
  } catch (error) {
    throw new GrpcError('Internal', `grpc: error unmarshalling request: ${messageOf(error)}`)
  }
}

function drained(call: ServerWritableStream<Buffer, Buffer>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off('drain', done)
      listening[Symbol.dispose]()
      resolve()
    }
    call.once('drain', done)
    const listening = onAbort(signal, done)
  })
}

function statusOf(error: unknown): { readonly code: number; readonly details: string } {
  if (error instanceof GrpcError) return { code: error.number, details: error.details }
  return { code: 2, details: messageOf(error) }
}

export interface ServeOptions {
  readonly clock: Clock
  /** One message of a client. Default 1 MiB. */
  readonly mostBytes?: number
  /**
   * Clients of any make are understood, those too that give the path of the socket for their authority. It costs memory for each of them.
   * Default: false.
   */
  readonly anyAuthority?: boolean
}

const MOST_BYTES = 1024 * 1024
/** Calls of one client at once. */
const MOST_STREAMS = 128
/** What the operating systems take as the path of a socket. */
const LONGEST_PATH = 103

/**
 * Serves on a unix socket and removes an existing file at that path. The library is loaded here, at the first socket. Disposing ends all
 * calls and removes the socket.
 */
export async function serveUnix(socketPath: string, methods: readonly Serve[], options: ServeOptions): Promise<AsyncDisposable> {
  if (Buffer.byteLength(socketPath) > LONGEST_PATH)
    throw new SocketError(`${socketPath}: the path of a socket may have ${LONGEST_PATH} characters; choose a folder nearer to the root`)
  const { Server: GrpcServer, ServerCredentials: Credentials } = await holding(
    options.clock,
    'loading gRPC',
    async () => (await import('@grpc/grpc-js')).default,
  )
  const server = new GrpcServer({
    'grpc.max_receive_message_length': options.mostBytes ?? MOST_BYTES,
    // With `grpc.enable_channelz: 0` the library would forget its connections, and `forceShutdown` would leave them open (1.14).
    'grpc.max_concurrent_streams': MOST_STREAMS,
  })
  for (const serve of methods) serve(server)
  rmSync(socketPath, { force: true })
  const credentials = Credentials.createInsecure()
  const open = () => (options.anyAuthority ? listening(server, socketPath, credentials) : bound(server, socketPath, credentials))
  const close = await holding(options.clock, `opening ${socketPath}`, open)
  return {
    async [Symbol.asyncDispose]() {
      close()
      server.forceShutdown()
      rmSync(socketPath, { force: true })
    },
  }
}

const unopened = (socketPath: string, error: Error) => new SocketError(`${socketPath} cannot be opened: ${error.message}`, { cause: error })

/** Resolves with what closes it. */
function listening(server: Server, socketPath: string, credentials: ServerCredentials): Promise<() => void> {
  const connections = server.createConnectionInjector(credentials)
  const listener = createServer((socket) => connections.injectConnection(withPlainAuthority(socket)))
  return new Promise((resolve, reject) => {
    listener.once('error', (error) => reject(unopened(socketPath, error)))
    listener.listen(socketPath, () => resolve(() => void listener.close()))
  })
}

/** The server ends it itself. */
function bound(server: Server, socketPath: string, credentials: ServerCredentials): Promise<() => void> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`unix:${socketPath}`, credentials, (error) =>
      error === null ? resolve(() => {}) : reject(unopened(socketPath, error)),
    )
  })
}
