import type { AuditBackend } from './audit-backend.ts'
import { type AuditEvent, eventJson } from './audit-event.ts'

/** Removes the bodies of an event that is larger than the limit, and drops the event if it is still too large. */
export function truncatingBackend(backend: AuditBackend, mostBytes: number, dropped: (event: AuditEvent) => void): AuditBackend {
  return {
    process(events) {
      const kept = events.flatMap((event) => {
        if (sizeOf(event) <= mostBytes) return [event]
        const small = { ...event, requestObject: undefined, responseObject: undefined, annotations: marked(event) }
        if (sizeOf(small) <= mostBytes) return [small]
        dropped(event)
        return []
      })
      return kept.length === 0 ? true : backend.process(kept)
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  }
}

const sizeOf = (event: AuditEvent) => Buffer.byteLength(eventJson(event))

const marked = ({ annotations }: AuditEvent) => new Map([...annotations, ['audit.k8s.io/truncated', 'true']])
