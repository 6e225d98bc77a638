import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/message-of.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import type { WhyPage } from '../../wire/why-page.ts'
import type { Subscription } from '../subscription.ts'
import { whyPage } from './why-page.ts'
import { queueReportOf, schedulingReportOf } from './why-reports.ts'

interface WhySubscriptionDeps {
  readonly id: number
  readonly client: Client
  readonly clock: Clock
  readonly object: ObjectName
  /** Changes can be tried on a fork. */
  readonly canTry: boolean
  changed(): void
}

/** The scheduler is asked again this often: each report is worked out anew. */
const ASK_MS = 2_000

const NOT_SERVED = 'This cluster has no reports of its scheduler (bowsprit.dev): only its events tell why a pod waits.'

/** Another Kubernetes does not know the path; a pod that is missing is named. */
const isNotServed = (error: unknown): boolean => isStatus(error) && error.code === 404 && error.status.details?.name === undefined

/** Why a pod is on its node, or on none. */
export class WhySubscription implements Subscription {
  readonly #deps: WhySubscriptionDeps
  readonly #stop = new AbortController()
  #page: Omit<WhyPage, 'canTry' | 'problem'> | undefined
  #problem = ''
  #cancel = () => {}

  constructor(deps: WhySubscriptionDeps) {
    this.#deps = deps
    void this.#ask()
  }

  next() {
    const { id, canTry } = this.#deps
    if (this.#page !== undefined) return { type: 'why', id, page: { ...this.#page, canTry, problem: this.#problem } } as const
    return this.#problem === '' ? undefined : ({ type: 'error', id, message: this.#problem } as const)
  }

  stop(): void {
    this.#stop.abort()
    this.#cancel()
  }

  async #ask(): Promise<void> {
    const { client, clock, object, changed } = this.#deps
    const { signal } = this.#stop
    const before = JSON.stringify([this.#page, this.#problem])
    try {
      const [report, queue] = await Promise.all([schedulingReportOf(client, object, signal), queueReportOf(client, object, signal)])
      this.#page = whyPage(report, queue)
      this.#problem = ''
    } catch (error) {
      this.#problem = isNotServed(error) ? NOT_SERVED : messageOf(error)
    }
    if (signal.aborted) return
    if (JSON.stringify([this.#page, this.#problem]) !== before) changed()
    this.#cancel = clock.after(ASK_MS, () => void this.#ask())
  }
}
