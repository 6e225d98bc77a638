import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type { ChannelCredentials, Client, ClientDuplexStream, ServiceError } from '@grpc/grpc-js'
import { type Clock, holding } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import type { MessageType } from '../../machinery/protobuf/plain-message.ts'
import { GrpcError, grpcCode } from '../../sdk/grpc/grpc-error.ts'
import type { UnaryMethod } from '../../sdk/grpc/method.ts'

/** PEM texts; undefined: the system's authorities, or no client certificate. */
export interface EtcdTls {
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

/** The members of an etcd cluster, as URLs of scheme http or https. */
export interface EtcdMembers {
  readonly urls: readonly URL[]
  readonly tls: EtcdTls
}

export interface CallOptions {
  /** Then the call fails with DeadlineExceeded. */
  readonly timeoutMs: number
  /** The call changes nothing, or may be carried out twice: it is sent again when a connection is lost. */
  readonly repeatable: boolean
}

type Library = Pick<typeof import('@grpc/grpc-js'), 'Client' | 'Metadata' | 'credentials'>

/** Between two tries to reach a member. */
const RETRY_MS = 50
/** Of a call that may be repeated at another member: one that does not respond may be paused. */
const PATIENCE_MS = 3000
/** As kube-apiserver's client: pings after so much silence, and the connection is given up when they are not answered. */
const PING_AFTER_MS = 30_000
const PING_TIMEOUT_MS = 10_000
/** The largest request, as in kube-apiserver's client; etcd itself refuses more than 1.5 MiB. Responses are pages of many values. */
const MAX_SENT_BYTES = 2 << 20

/** The gRPC connections to the members of one etcd. One is used at a time; when it is lost, the next. Loads the library. */
export async function connectEtcd({ urls, tls }: EtcdMembers, clock: Clock): Promise<EtcdConnection> {
  const library = await holding(clock, 'loading gRPC', async () => (await import('@grpc/grpc-js')).default)
  return new EtcdConnection({ urls, tls }, library, clock)
}

export class EtcdConnection implements Disposable {
  readonly #library: Library
  readonly #clock: Clock
  readonly #clients: readonly Client[]
  #current = 0
  #closed = false

  constructor({ urls, tls }: EtcdMembers, library: Library, clock: Clock) {
    this.#library = library
    this.#clock = clock
    const insecure = library.credentials.createInsecure()
    this.#clients = urls.map((url) => this.#open(url, url.protocol === 'https:' ? credentialsOf(library, tls, url) : insecure))
  }

  /** @throws {GrpcError} */
  async call<Q, A>(method: UnaryMethod<Q, A>, request: Q, { timeoutMs, repeatable }: CallOptions): Promise<A> {
    const bytes = method.request.encode(request)
    if (bytes.byteLength > MAX_SENT_BYTES)
      throw new GrpcError('ResourceExhausted', `trying to send message larger than max (${bytes.byteLength} vs. ${MAX_SENT_BYTES})`)
    const until = this.#clock.monotonic() + timeoutMs
    for (;;) {
      const turn = this.#current
      const leftMs = until - this.#clock.monotonic()
      const patienceMs = repeatable && this.#clients.length > 1 ? Math.min(leftMs, PATIENCE_MS) : leftMs
      try {
        return method.answer.decode(await this.#unary(method.path, bytes, patienceMs))
      } catch (error) {
        const failure = asGrpcError(error)
        if (this.#closed || !mayRepeat(failure, repeatable)) throw failure
        this.#leave(turn)
        if (this.#clock.monotonic() + RETRY_MS >= until) throw new GrpcError('DeadlineExceeded', DEADLINE, { cause: failure })
        await this.#clock.sleep(RETRY_MS)
      }
    }
  }

  /** A bidirectional stream to the current member. It ends with a `GrpcError` when the connection is lost. */
  stream<Q, A>(path: string, request: MessageType<Q>, answer: MessageType<A>): EtcdStream<Q, A> {
    const turn = this.#current
    const metadata = new this.#library.Metadata()
    // A member that has lost its leader ends the stream, so that the client turns to another one.
    metadata.set('hasleader', 'true')
    const call = this.#client.makeBidiStreamRequest(
      path,
      (value: Q) => request.encode(value),
      (bytes: Buffer) => answer.decode(bytes),
      metadata,
    )
    call.on('error', () => this.#leave(turn))
    return new EtcdStream(call)
  }

  [Symbol.dispose](): void {
    this.#closed = true
    for (const client of this.#clients) client.close()
  }

  get #client(): Client {
    const client = this.#clients[this.#current]
    if (client === undefined) throw new Error('invariant: an etcd has a member')
    return client
  }

  #open(url: URL, credentials: ChannelCredentials): Client {
    return new this.#library.Client(
      url.host.includes(':') ? url.host : `${url.host}:${url.protocol === 'https:' ? 443 : 80}`,
      credentials,
      {
        'grpc.max_receive_message_length': -1,
        'grpc.max_send_message_length': -1,
        'grpc.enable_retries': 0,
        'grpc.enable_channelz': 0,
        'grpc.keepalive_time_ms': PING_AFTER_MS,
        'grpc.keepalive_timeout_ms': PING_TIMEOUT_MS,
        'grpc.initial_reconnect_backoff_ms': 100,
        'grpc.max_reconnect_backoff_ms': 1000,
        'grpc.service_config_disable_resolution': 1,
        'grpc.use_local_subchannel_pool': 1,
        ...(addressIn(url) !== undefined && { 'grpc.ssl_target_name_override': NO_NAME }),
      },
    )
  }

  /** The member that was used at that turn failed: the next one is used, unless another call has moved on already. */
  #leave(turn: number): void {
    if (this.#current === turn) this.#current = (turn + 1) % this.#clients.length
  }

  #unary(path: string, request: Buffer, timeoutMs: number): Promise<Buffer> {
    const metadata = new this.#library.Metadata()
    const asIs = (bytes: Buffer) => bytes
    const options = { deadline: this.#clock.now() + timeoutMs }
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(path, asIs, asIs, request, metadata, options, (error: ServiceError | null, answer) => {
        if (error === null) resolve(answer ?? NOTHING)
        else reject(error)
      })
    })
  }
}

/** A bidirectional stream: messages are sent at any time, and read one after the other. */
export class EtcdStream<Q, A> implements AsyncIterable<A>, Disposable {
  readonly #call: ClientDuplexStream<Q, A>

  constructor(call: ClientDuplexStream<Q, A>) {
    this.#call = call
  }

  send(message: Q): void {
    if (this.#call.writable) this.#call.write(message)
  }

  /** Ends with a {@link GrpcError} when the stream failed. The next message is read when the last one has been processed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<A, void> {
    try {
      for await (const message of this.#call) yield message
    } catch (error) {
      throw asGrpcError(error)
    }
  }

  [Symbol.dispose](): void {
    this.#call.cancel()
  }
}

const NOTHING = Buffer.alloc(0)
/** Go's text of the error. */
const DEADLINE = 'context deadline exceeded'

function credentialsOf({ credentials }: Library, { ca, cert, key }: EtcdTls, url: URL): ChannelCredentials {
  const [authorities, clientKey, chain] = [ca, key, cert].map((pem) => (pem === undefined ? null : Buffer.from(pem)))
  const address = addressIn(url)
  const check =
    address === undefined ? {} : { checkServerIdentity: (_name: string, shown: PeerCertificate) => checkServerIdentity(address, shown) }
  return credentials.createSsl(authorities, clientKey, chain, check)
}

/** What is named in the handshake in place of an address: the library would name the address, which Node refuses (RFC 6066, section 3). */
const NO_NAME = 'address.invalid'

/** The address of a member that is not known by a name. */
function addressIn({ hostname }: URL): string | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 ? undefined : address
}

/** Requests that were never sent may always be repeated. */
function mayRepeat({ code, details }: GrpcError, repeatable: boolean): boolean {
  if (code === 'DeadlineExceeded') return repeatable
  // What etcd itself says (no leader, timed out) is for the caller.
  if (code !== 'Unavailable' || details.startsWith('etcdserver:')) return false
  return repeatable || details.startsWith('No connection established')
}

function asGrpcError(error: unknown): GrpcError {
  if (error instanceof GrpcError) return error
  const { code, details } = error as Partial<ServiceError>
  const name = typeof code === 'number' ? grpcCode(code) : 'Unknown'
  return new GrpcError(name, name === 'DeadlineExceeded' ? DEADLINE : details || messageOf(error), { cause: error })
}
