import type { Clock } from '../../../base/clock.ts'
import type { Http2Session } from '../../../base/http2/http2-session.ts'
import { GrpcError } from '../../../sdk/grpc/grpc-error.ts'
import { GrpcCall } from './grpc-call.ts'
import type { Member } from './member.ts'

/** Go's text of the error. */
export const DEADLINE = 'context deadline exceeded'

export interface UnaryRequest {
  readonly headers: Buffer
  readonly message: Buffer
  /** Of the connection and the call together. */
  readonly timeoutMs: number
}

/** One message to a member, and its response. @throws {GrpcError} */
export function unaryCall(member: Member, { headers, message, timeoutMs }: UnaryRequest, clock: Clock): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let answer: Buffer = NOTHING
    let call: GrpcCall | undefined
    let over = false
    const end = (error?: unknown) => {
      if (over) return
      over = true
      stopTimer()
      if (error === undefined) resolve(answer)
      else reject(error)
    }
    const stopTimer = clock.after(timeoutMs, () => {
      const late = new GrpcError('DeadlineExceeded', DEADLINE)
      end(late)
      call?.cancel(late)
    })
    const onMessage = (bytes: Buffer) => {
      answer = bytes
    }
    const begin = (session: Http2Session) => {
      if (over) return
      call = new GrpcCall(session, headers, { onMessage, onEnd: end })
      call.send(message, { last: true })
    }
    // Without a promise where there is a connection: this is the path of every write.
    if (member.session !== undefined) begin(member.session)
    else member.connect().then(begin, end)
  })
}

const NOTHING = Buffer.alloc(0)
