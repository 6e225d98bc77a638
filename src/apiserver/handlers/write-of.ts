import type { KubeObject } from '../../machinery/object.ts'
import type { Outcome } from '../store/outcome.ts'
import type { Write } from '../store/write.ts'
import type { Answer, Call } from './call.ts'
import { managerOf } from './request/manager-of.ts'
import { optionsObject, type WriteOptions } from './request/options.ts'

/** The write that a create, update or patch asks for. */
export function writeOf(call: Call, options: WriteOptions): Write {
  return plainWriteOf(call, {
    dryRun: options.dryRun,
    options: optionsObject(options),
    manager: managerOf(call.userAgent, options.fieldManager),
  })
}

/** The same for what notes nobody in managed fields (deletes, connections). */
export function plainWriteOf(
  call: Call,
  how: { readonly dryRun: boolean; readonly options: KubeObject; readonly manager?: string },
): Write {
  return {
    served: call.served,
    place: call.target,
    subresource: call.subresource,
    user: call.user,
    manager: how.manager,
    dryRun: how.dryRun,
    options: how.options,
    admission: call.deps.admission,
    get signal() {
      return call.signal
    },
    warn: (text) => call.warn(text),
    annotate: (key, value, level) => call.annotate(key, value, level),
  }
}

/** What came of a write, as it is answered. */
export function answerOf(outcome: Outcome): Answer {
  const code = outcome.created ? 201 : 200
  return outcome.kind === 'item' ? { kind: 'item', code, item: outcome.item } : { kind: 'object', code, object: outcome.object }
}
