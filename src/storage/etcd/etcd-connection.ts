import type { Clock } from '../../base/clock.ts'
import { LruMap } from '../../base/collections/lru-map.ts'
import type { MessageType } from '../../machinery/protobuf/plain-message.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import type { UnaryMethod } from '../../sdk/grpc/method.ts'
import { UnsentError } from './grpc/call-status.ts'
import { callHeaders } from './grpc/grpc-call.ts'
import { GrpcStream } from './grpc/grpc-stream.ts'
import { type EtcdTls, Member } from './grpc/member.ts'
import { DEADLINE, unaryCall } from './grpc/unary-call.ts'

/** The members of an etcd cluster, as URLs of scheme http or https. */
export interface EtcdMembers {
  readonly urls: readonly URL[]
  readonly tls: EtcdTls
}

export interface EtcdConnectionDeps {
  readonly clock: Clock
  /** Called with the reason each time that a member cannot be reached. */
  readonly unreachable?: ((reason: string) => void) | undefined
}

export interface CallOptions {
  /** Then the call fails with DeadlineExceeded. */
  readonly timeoutMs: number
  /** The call changes nothing, or may be carried out twice: it is sent again when a connection is lost. */
  readonly repeatable: boolean
}

/** Between two tries to reach a member. */
const RETRY_MS = 50
/** Of a call that may be repeated at another member: one that does not respond may be paused. */
const PATIENCE_MS = 3000
/** The largest request, as in kube-apiserver's client; etcd itself refuses more than 1.5 MiB. Responses are pages of many values. */
const MAX_SENT_BYTES = 2 << 20
/** Headers of calls that are made again and again. */
const KEPT_HEADERS = 64
/** A member that has lost its leader ends the stream, so that the client turns to another one. */
const WITH_LEADER = [['hasleader', 'true']] as const

/** The connections to the members of one etcd. One is used at a time; when it is lost, the next. */
export class EtcdConnection implements Disposable {
  readonly #clock: Clock
  readonly #unreachable: EtcdConnectionDeps['unreachable']
  readonly #members: readonly Member[]
  readonly #headers = new LruMap<string, Buffer>(KEPT_HEADERS)
  #current = 0
  #closed = false

  constructor({ urls, tls }: EtcdMembers, { clock, unreachable }: EtcdConnectionDeps) {
    this.#clock = clock
    this.#unreachable = unreachable
    this.#members = urls.map((url) => new Member(url, tls, clock))
  }

  /** @throws {GrpcError} */
  async call<Q, A>(method: UnaryMethod<Q, A>, request: Q, { timeoutMs, repeatable }: CallOptions): Promise<A> {
    const bytes = method.request.encode(request)
    if (bytes.byteLength > MAX_SENT_BYTES)
      throw new GrpcError('ResourceExhausted', `trying to send message larger than max (${bytes.byteLength} vs. ${MAX_SENT_BYTES})`)
    const until = this.#clock.monotonic() + timeoutMs
    let leftMs = timeoutMs
    for (;;) {
      const turn = this.#current
      const patienceMs = repeatable && this.#members.length > 1 ? Math.min(leftMs, PATIENCE_MS) : leftMs
      try {
        return method.answer.decode(await this.#unary(method.path, bytes, patienceMs))
      } catch (error) {
        if (!(error instanceof GrpcError) || this.#closed || !mayRepeat(error, repeatable)) throw error
        if (error instanceof UnsentError) this.#unreachable?.(error.details)
        this.#leave(turn)
        leftMs = until - this.#clock.monotonic() - RETRY_MS
        if (leftMs <= 0) throw new GrpcError('DeadlineExceeded', DEADLINE, { cause: error })
        await this.#clock.sleep(RETRY_MS)
      }
    }
  }

  /** A bidirectional stream to the current member. @throws {GrpcError} */
  async stream<Q, A>(path: string, request: MessageType<Q>, answer: MessageType<A>): Promise<GrpcStream<Q, A>> {
    const turn = this.#current
    const member = this.#member
    try {
      const session = member.session ?? (await member.connect())
      const headers = callHeaders(member.url, path, undefined, WITH_LEADER)
      return new GrpcStream({ session, headers, request, answer, onFail: () => this.#leave(turn) })
    } catch (error) {
      this.#leave(turn)
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#closed = true
    for (const member of this.#members) member[Symbol.dispose]()
  }

  get #member(): Member {
    const member = this.#members[this.#current]
    if (member === undefined) throw new Error('invariant: an etcd has a member')
    return member
  }

  /** The member that was used at that turn failed: the next one is used, unless another call has moved on already. */
  #leave(turn: number): void {
    if (this.#current === turn) this.#current = (turn + 1) % this.#members.length
  }

  #unary(path: string, message: Buffer, timeoutMs: number): Promise<Buffer> {
    const member = this.#member
    return unaryCall(member, { headers: this.#headersOf(member, path, timeoutMs), message, timeoutMs }, this.#clock)
  }

  #headersOf(member: Member, path: string, timeoutMs: number): Buffer {
    const key = `${member.url.host} ${path} ${timeoutMs}`
    const known = this.#headers.get(key)
    if (known !== undefined) return known
    const headers = callHeaders(member.url, path, timeoutMs)
    this.#headers.set(key, headers)
    return headers
  }
}

/** A read is made again, as kube-apiserver's client does, until its time is over: also while etcd elects another leader. */
function mayRepeat(error: GrpcError, repeatable: boolean): boolean {
  return error instanceof UnsentError || (repeatable && (error.code === 'DeadlineExceeded' || error.code === 'Unavailable'))
}
