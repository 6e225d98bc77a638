import type { KubeObject } from '../../machinery/object.ts'
import type { Outcome } from '../store/outcome.ts'
import type { Write } from '../store/write.ts'
import type { Call, HandlerResult } from './call.ts'
import { managerOf } from './manager-of.ts'
import { optionsObject, type WriteOptions } from './options.ts'

/** The write of a create, update or patch request. */
export function writeOf(call: Call, options: WriteOptions): Write {
  return untrackedWriteOf(call, {
    dryRun: options.dryRun,
    options: optionsObject(options),
    manager: managerOf(call.request.userAgent, options.fieldManager),
  })
}

interface How {
  readonly dryRun: boolean
  readonly options: KubeObject
  readonly manager?: string
}

/** The write of a request without a field manager (deletes, connections). */
export function untrackedWriteOf(call: Call, { dryRun, options, manager }: How): Write {
  const { request, served, subresource, target, deps } = call
  return {
    request,
    served,
    subresource,
    place: target,
    manager,
    dryRun,
    options,
    admission: deps.admission,
    steps: deps.metrics?.admission,
  }
}

/** The handler's result for the outcome of a write. */
export function answerOf(outcome: Outcome): HandlerResult {
  const code = outcome.created ? 201 : 200
  return outcome.kind === 'item' ? { kind: 'item', code, item: outcome.item } : { kind: 'object', code, object: outcome.object }
}
