import type { Clock } from '../../../base/clock.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import type { WhyPage } from '../../wire/why-page.ts'
import { PolledSubscription } from '../polled-subscription.ts'
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
export const whySubscription = ({ id, client, clock, object, canTry, changed }: WhySubscriptionDeps) =>
  new PolledSubscription<Omit<WhyPage, 'canTry' | 'problem'>>({
    clock,
    everyMs: ASK_MS,
    changed,
    async read(signal) {
      try {
        return whyPage(...(await Promise.all([schedulingReportOf(client, object, signal), queueReportOf(client, object, signal)])))
      } catch (error) {
        throw isNotServed(error) ? new Error(NOT_SERVED) : error
      }
    },
    message(page, problem) {
      if (page !== undefined) return { type: 'why', id, page: { ...page, canTry, problem } }
      return problem === '' ? undefined : { type: 'error', id, message: problem }
    },
  })
