import type { KubeObject } from '../../machinery/object.ts'
import type { Outcome } from '../store/outcome.ts'
import type { Place, Write } from '../store/write.ts'
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
export function plainWriteOf(call: Call, how: How): CallWrite {
  return new CallWrite(call, how, call.target)
}

interface How {
  readonly dryRun: boolean
  readonly options: KubeObject
  readonly manager?: string
}

/** The write of a call. A class: a literal with an accessor and functions of its own costs a kilobyte. */
class CallWrite implements Write {
  readonly served: Write['served']
  readonly place: Place
  readonly subresource: Write['subresource']
  readonly user: Write['user']
  readonly manager: string | undefined
  readonly dryRun: boolean
  readonly options: KubeObject
  readonly admission: Write['admission']
  readonly #call: Call
  readonly #how: How

  constructor(call: Call, how: How, place: Place) {
    this.served = call.served
    this.place = place
    this.subresource = call.subresource
    this.user = call.user
    this.manager = how.manager
    this.dryRun = how.dryRun
    this.options = how.options
    this.admission = call.deps.admission
    this.#call = call
    this.#how = how
  }

  at(place: Place): Write {
    return new CallWrite(this.#call, this.#how, place)
  }

  /** Made when somebody asks for it. */
  get signal(): AbortSignal {
    return this.#call.signal
  }

  warn(text: string): void {
    this.#call.warn(text)
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    this.#call.annotate(key, value, level)
  }
}

/** What came of a write, as it is answered. */
export function answerOf(outcome: Outcome): Answer {
  const code = outcome.created ? 201 : 200
  return outcome.kind === 'item' ? { kind: 'item', code, item: outcome.item } : { kind: 'object', code, object: outcome.object }
}
