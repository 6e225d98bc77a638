import type { WatchEvent } from '../../machinery/api-call.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import type { Call } from '../handlers/call.ts'
import { JSON_FORMAT } from '../http/response/negotiate.ts'
import { frameWriter } from '../http/response/write-watch.ts'
import { watchSteps } from '../in-process/watch-steps.ts'
import type { WatchSession } from '../store/watch-session.ts'

/** The frames of a watch in JSON, shared with watches over HTTP, until it ends or `signal` is aborted. Closes the session. */
export async function* watchLines(call: Call, session: WatchSession, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const frames = frameWriter({ call, format: JSON_FORMAT })
  for await (const step of watchSteps(session, signal)) yield frames(step)
}

/** The same for events of a delegate. */
export async function* eventLines(events: AsyncIterable<readonly WatchEvent[]>): AsyncGenerator<string> {
  for await (const batch of events) yield batch.map(({ type, object }) => `{"type":"${type}","object":${encodeJson(object)}}\n`).join('')
}
