import { Signal } from '../../base/signal.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { WatchSession, WatchStep } from '../store/watch-session.ts'

/** Events and bookmarks of a watch. */
export type DataStep = Extract<WatchStep, { kind: 'events' | 'bookmark' }>

/** The steps of a watch, until it ends or `signal` is aborted. Closes the session. @throws {StatusError} the error event of the watch */
export async function* watchSteps(session: WatchSession, signal: AbortSignal | undefined): AsyncGenerator<DataStep> {
  const ready = new Signal()
  session.onReady(() => ready.raise())
  try {
    while (signal?.aborted !== true) {
      ready.lower()
      const step = session.next()
      if (step === undefined) await ready.wait({ signal })
      else if (step.kind === 'end') return
      else if (step.kind === 'error') throw StatusError.from(step.status)
      else yield step
    }
  } finally {
    session.close()
  }
}
