import type { AuditBackend } from './audit-backend.ts'
import { type AuditEvent, eventJson, legacyLine } from './audit-event.ts'

/** Takes text, and has it when the call returns. Throws when it cannot. */
export interface AuditSink extends Disposable {
  write(text: string): void
}

/** Events as lines. `lost` hears of events that could not be written. */
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
