import type { Clock } from './clock.ts'
import { onAbort } from './on-abort.ts'
import type { TimerKind } from './timer-kind.ts'

/** What a limit needs of a clock (`Clock` has it). */
export interface LimitedSignal extends Disposable {
  readonly signal: AbortSignal
  /** True when the time was up before the parent was aborted. */
  readonly expired: boolean
}

export interface LimitOptions {
  /** Aborts the signal too, with its own reason. */
  readonly parent?: AbortSignal | undefined
  /** The signal's reason when the time is up. Default: a `TimeoutError`, as of `AbortSignal.timeout`. */
  readonly reason?: () => unknown
  /** Of the timer: see `Clock`. */
  readonly kind?: TimerKind
}

/**
 * A signal that is aborted after `limitMs` (undefined: without a limit), or with its parent. Disposing of it stops the timer and lets go of
 * the parent.
 *
 * ```ts
 * using limit = limitedSignal(clock, 5_000, { parent: request.signal })
 * await send(request, limit.signal)
 * ```
 */
export function limitedSignal(
  clock: Pick<Clock, 'after'>,
  limitMs: number | undefined,
  { parent, reason = timedOut, kind }: LimitOptions = {},
): LimitedSignal {
  const controller = new AbortController()
  let expired = false
  const listening = onAbort(parent, () => controller.abort(parent?.reason))
  const late = () => {
    if (controller.signal.aborted) return
    expired = true
    controller.abort(reason())
  }
  const cancel = limitMs === undefined ? undefined : clock.after(limitMs, late, kind)
  return {
    signal: controller.signal,
    get expired() {
      return expired
    },
    [Symbol.dispose]() {
      cancel?.()
      listening[Symbol.dispose]()
    },
  }
}

const timedOut = () => new DOMException('the time limit is over', 'TimeoutError')
