import type { Later } from '../../base/steps.ts'
import type { AuditEvent } from './audit-event.ts'

/** Takes events. Returns false if they are lost; the request that they describe must then be refused. */
export interface AuditBackend extends AsyncDisposable {
  process(events: readonly AuditEvent[]): Later<boolean>
}

/** Sends every event to each of the backends. */
export function unionBackend(backends: readonly AuditBackend[]): AuditBackend {
  const [only] = backends
  if (only !== undefined && backends.length === 1) return only
  return {
    process(events) {
      const taken = backends.map((backend) => backend.process(events))
      return taken.some((t) => t instanceof Promise) ? Promise.all(taken).then((all) => all.every(Boolean)) : taken.every(Boolean)
    },
    async [Symbol.asyncDispose]() {
      for (const backend of backends) await backend[Symbol.asyncDispose]()
    },
  }
}

/** Wraps a backend so that a lost event fails no request. */
export function ignoringLoss(backend: AuditBackend): AuditBackend {
  return {
    process(events) {
      const taken = backend.process(events)
      return taken instanceof Promise ? taken.then(() => true) : true
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  }
}
