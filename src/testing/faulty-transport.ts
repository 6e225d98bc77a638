import { type Clock, systemClock } from '../base/clock.ts'
import { onAbort } from '../base/on-abort.ts'
import type { ApiCall, Transport } from '../machinery/api-call.ts'
import { StatusError } from '../machinery/status-error.ts'

/** What happens to a call. Absent fields: nothing. */
export interface Fault {
  /** Which calls. Default: all. */
  readonly when?: (call: ApiCall) => boolean
  /** How many calls it happens to. Default: all, until it is removed. */
  readonly times?: number
  /** The call waits so long before it is sent, in milliseconds. */
  readonly delayMs?: number
  /**
   * `fail`: the call is not sent, and fails with `error`. `lose`: it is sent, its response is lost, and it fails with `error` although it
   * was carried out. `hang`: it is not sent and has no response until its signal is aborted. Default: it is sent after the delay.
   */
  readonly outcome?: 'fail' | 'lose' | 'hang'
  /** Default: 503, as when the server cannot be reached. */
  readonly error?: StatusError
}

/** A transport that can be made worse. */
export interface FaultyTransport extends Transport {
  /** Adds a fault; several faults are tried in the order in which they were added. Calling the result removes it. */
  add(fault: Fault): () => void
  /** Breaks all watches that are running, as a connection that is lost does. */
  breakWatches(): void
  /** Every call that was made, watches included, in order. */
  readonly calls: readonly ApiCall[]
}

const unreachable = () => new StatusError({ code: 503, message: 'cannot reach the API server: a fault of the test' })

/**
 * Puts faults between a client and its cluster: calls that fail, come late, are lost on the way back or hang, and watches that break.
 *
 * ```ts
 * const transport = faultyTransport(cluster.transport())
 * const client = createClient(transport)
 * transport.add({ when: (call) => call.verb === 'update', times: 2, outcome: 'fail' })
 * ```
 */
export function faultyTransport(inner: Transport, { clock = systemClock }: { readonly clock?: Clock } = {}): FaultyTransport {
  const faults = new Set<{ readonly fault: Fault; left: number }>()
  const watches = new Set<AbortController>()
  const calls: ApiCall[] = []

  const meet = async (call: ApiCall): Promise<Fault> => {
    calls.push(call)
    const met = [...faults].find(({ fault, left }) => left > 0 && (fault.when?.(call) ?? true))
    if (met === undefined) return {}
    if (--met.left === 0) faults.delete(met)
    const { delayMs = 0, outcome, error = unreachable() } = met.fault
    if (delayMs > 0) await clock.sleep(delayMs, call.signal)
    if (outcome === 'hang') await hang(call.signal)
    if (outcome === 'fail') throw error
    return met.fault
  }

  return {
    calls,
    connect: inner.connect,
    page: (call) => inner.page(call),
    add(fault) {
      const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY }
      faults.add(entry)
      return () => faults.delete(entry)
    },
    breakWatches() {
      for (const watch of watches) watch.abort(unreachable())
    },
    async call(call) {
      const { outcome, error = unreachable() } = await meet(call)
      const answer = await inner.call(call)
      if (outcome === 'lose') throw error
      return answer
    },
    async *watch(call) {
      await meet(call)
      const own = new AbortController()
      using _ = onAbort(call.signal, () => own.abort(call.signal?.reason))
      watches.add(own)
      try {
        yield* inner.watch({ ...call, signal: own.signal })
      } finally {
        watches.delete(own)
      }
      if (own.signal.aborted && !call.signal?.aborted) throw own.signal.reason
    },
  }
}

const hang = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => {
    onAbort(signal, () => reject(signal?.reason))
  })
