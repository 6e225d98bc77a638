import { messageOf } from '../../../base/message-of.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { Subscription } from '../subscription.ts'
import { type ContainerOfPod, containersOf } from './containers-of.ts'
import { KeptLines } from './kept-lines.ts'

/** Which log. */
export interface LogQuery {
  readonly object: ObjectName
  /** `''`: the first container. */
  readonly container: string
  /** That of the container that ran before. */
  readonly previous: boolean
}

interface LogsSubscriptionDeps extends LogQuery {
  readonly id: number
  readonly client: Client
  changed(): void
}

/** Lines that were printed before the log is opened. */
const TAIL_LINES = 1_000

/** The log of a container, as it goes on. */
export class LogsSubscription implements Subscription {
  readonly #deps: LogsSubscriptionDeps
  readonly #stop = new AbortController()
  readonly #kept = new KeptLines()
  #containers: readonly ContainerOfPod[] = []
  #ended = false
  #problem = ''

  constructor(deps: LogsSubscriptionDeps) {
    this.#deps = deps
    void this.#follow()
  }

  next() {
    const { id, changed } = this.#deps
    const { from, lines, hasMore } = this.#kept.take()
    if (hasMore) changed()
    const page = { containers: this.#containers.map((each) => each.name), from, lines, ended: this.#ended, problem: this.#problem }
    return { type: 'logs', id, page } as const
  }

  stop(): void {
    this.#stop.abort()
  }

  async #follow(): Promise<void> {
    const { client, object, container, previous, changed } = this.#deps
    const { namespace, name } = object
    const { signal } = this.#stop
    try {
      this.#containers = await containersOf(client, object, signal)
      changed()
      const options = {
        container: container || (this.#containers[0]?.name ?? ''),
        follow: !previous,
        previous,
        tailLines: TAIL_LINES,
        signal,
      }
      for await (const chunk of await client.logs({ namespace, name }, options)) {
        this.#kept.write(chunk)
        changed()
      }
      this.#ended = true
    } catch (error) {
      this.#problem = shownText(messageOf(error))
    }
    if (signal.aborted) return
    this.#kept.end()
    changed()
  }
}
