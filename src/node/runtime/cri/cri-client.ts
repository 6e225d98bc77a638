import { orAborted } from '../../../base/on-abort.ts'
import type { GrpcConnection } from '../../../sdk/grpc/connect-unix.ts'
import type { UnaryMethod } from '../../../sdk/grpc/method.ts'
import { criError, dialError } from './cri-error.ts'

export interface CallOptions {
  readonly signal: AbortSignal
  /** Default `REQUEST_TIMEOUT_MS`. */
  readonly timeoutMs?: number
  /** The call goes on in the runtime when the signal is aborted; only the wait ends. Default: the call is cancelled. */
  readonly goesOn?: boolean
  /** Default `whole`. */
  readonly shown?: 'whole' | 'details'
}

/** Calls of the Container Runtime Interface; they reject with `RuntimeError`. */
export type CriClient = <Q, A>(method: UnaryMethod<Q, A>, request: Q, options: CallOptions) => Promise<A>

/** How long a call may take: the kubelet's `runtimeRequestTimeout`. */
export const REQUEST_TIMEOUT_MS = 120_000

export function criClient(connection: GrpcConnection, socketPath: string, closed: AbortSignal): CriClient {
  return async (method, request, { signal, timeoutMs = REQUEST_TIMEOUT_MS, goesOn = false, shown = 'whole' }) => {
    signal.throwIfAborted()
    const limits = { signal: goesOn ? closed : AbortSignal.any([signal, closed]), timeoutMs }
    try {
      const answer = connection.call(method, request, limits)
      return await (goesOn ? orAborted(answer, signal) : answer)
    } catch (error) {
      signal.throwIfAborted()
      throw criError(dialError(error, socketPath), shown)
    }
  }
}
