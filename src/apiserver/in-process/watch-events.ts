import type { WatchEvent } from '../../machinery/api-call.ts'
import type { Call } from '../handlers/call.ts'
import { bookmark } from '../handlers/read/bookmark.ts'
import { convertAll } from '../store/conversion.ts'
import type { WatchSession } from '../store/watch-session.ts'
import { requestVersion } from '../store/write.ts'
import { watchSteps } from './watch-steps.ts'

/** The events of a watch as objects, until it ends or `signal` is aborted; closes the session. */
export async function* watchEvents(
  call: Call,
  session: WatchSession,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly WatchEvent[]> {
  const { definition } = call.served
  const wanted = requestVersion(call)
  for await (const step of watchSteps(session, signal)) {
    if (step.kind === 'bookmark') yield [{ type: 'BOOKMARK', object: bookmark(call.served, wanted, step) }]
    else {
      const objects = await convertAll(
        definition,
        step.batch.events.map((e) => e.item.object),
        wanted,
      )
      yield step.batch.events.map((e, i) => ({ type: e.type, object: objects[i] ?? e.item.object }))
    }
  }
}
