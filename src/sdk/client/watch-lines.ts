import type { KubeObject } from '../../machinery/object.ts'
import { type Status, StatusError } from '../../machinery/status-error.ts'
import type { WatchEvent } from './client.ts'
import { answerJson } from './response-json.ts'

/** The longest event of a watch: objects have a few megabytes at most. */
export const MOST_LINE_BYTES = 32 * 1024 * 1024

/**
 * Splits chunks into whole lines, those of one chunk together. Text after the last newline is dropped at the end: it is a cut-off event.
 * @throws {StatusError} 500 for a line that does not end
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const part of chunks) {
    const chunk = Buffer.from(part.buffer, part.byteOffset, part.length)
    const end = chunk.lastIndexOf(10)
    if (end === -1) {
      rest.push(chunk)
      restBytes += chunk.length
      if (restBytes > MOST_LINE_BYTES)
        throw new StatusError({
          code: 500,
          reason: 'InternalError',
          message: `an event of a watch is longer than ${MOST_LINE_BYTES} bytes`,
        })
      continue
    }
    const whole = Buffer.concat([...rest, chunk.subarray(0, end)]).toString()
    rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : []
    restBytes = chunk.length - end - 1
    const lines = whole.split('\n').filter((line) => line !== '')
    if (lines.length > 0) yield lines
  }
}

/** The events of the lines. An event of type ERROR throws its Status after the events before it. */
export function* eventsOf(lines: readonly string[], from: string): Generator<readonly WatchEvent[]> {
  const events: WatchEvent[] = []
  for (const line of lines) {
    const event = answerJson(line, from) as { type: string; object: unknown }
    if (event.type === 'ERROR') {
      if (events.length > 0) yield events
      throw StatusError.from(event.object as Status)
    }
    events.push({ type: event.type as WatchEvent['type'], object: event.object as KubeObject } as WatchEvent)
  }
  if (events.length > 0) yield events
}
