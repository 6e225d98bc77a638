import type { WatchEvent } from '../../machinery/api-call.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { Call } from '../handlers/call.ts'
import { bookmark } from '../handlers/read/bookmark.ts'
import { convertAll } from '../store/conversion.ts'
import type { WatchSession } from '../store/watch-session.ts'
import { requestVersion } from '../store/write.ts'

/** The events of a watch as objects, until it ends or `signal` is aborted; closes the session. */
export async function* watchEvents(
  call: Call,
  session: WatchSession,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly WatchEvent[]> {
  const { definition } = call.served
  const wanted = requestVersion(call)
  let wake = () => {}
  session.onReady(() => wake())
  const onAbort = () => wake()
  signal?.addEventListener('abort', onAbort)
  try {
    while (signal?.aborted !== true) {
      const woken = new Promise<void>((r) => {
        wake = r
      })
      const step = session.next()
      if (step === undefined) await woken
      else if (step.kind === 'end') return
      else if (step.kind === 'error') throw StatusError.from(step.status)
      else if (step.kind === 'bookmark') yield [{ type: 'BOOKMARK', object: bookmark(call.served, wanted, step) }]
      else {
        const objects = await convertAll(
          definition,
          step.batch.events.map((e) => e.item.object),
          wanted,
        )
        yield step.batch.events.map((e, i) => ({ type: e.type, object: objects[i] ?? e.item.object }))
      }
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    session.close()
  }
}
