import type { Later } from '../../base/steps.ts'
import type { AuditEvent } from './audit-event.ts'

/** Takes events. False: they are lost, and the request that they tell of must not go on. */
export interface AuditBackend extends AsyncDisposable {
  process(events: readonly AuditEvent[]): Later<boolean>
}

/** Several backends as one: each is told of everything. */
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

/** The same, of which nobody hears when events are lost. */
export function ignoringLoss(backend: AuditBackend): AuditBackend {
  return {
    process(events) {
      const taken = backend.process(events)
      return taken instanceof Promise ? taken.then(() => true) : true
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  }
}
