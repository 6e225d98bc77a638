import type { AuditBackend } from './audit-backend.ts'
import { type AuditEvent, eventJson, legacyLine } from './audit-event.ts'

/** Text passed to it is written when the call returns. Throws if it cannot be written. */
export interface AuditSink extends Disposable {
  write(text: string): void
}

/** Writes events as lines. `lost` is called with the number of events that could not be written. */
export function fileBackend(sink: AuditSink, format: 'json' | 'legacy', lost: (events: number, error: unknown) => void): AuditBackend {
  const line = format === 'json' ? eventJson : legacyLine
  return {
    process(events: readonly AuditEvent[]) {
      try {
        let text = ''
        for (const event of events) text += `${line(event)}\n`
        sink.write(text)
        return true
      } catch (error) {
        lost(events.length, error)
        return false
      }
    },
    async [Symbol.asyncDispose]() {
      sink[Symbol.dispose]()
    },
  }
}
