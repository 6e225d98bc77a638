import type { Clock } from '../../base/clock.ts'
import { type Family, labels, type Sample } from '../../base/exposition.ts'
import { onAbort } from '../../base/on-abort.ts'
import type { Later } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { SYSTEM_MASTERS } from '../../machinery/resource/user.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import type { Request } from '../request/request.ts'
import { FairQueues, flowHash, type Leave, type QueueConfig } from './fair-queues.ts'
import { type FlowSchema, flowName, inOrder, isFlowSchema, matchFlow } from './match-flow.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'

export interface FlowConfig {
  /** Requests that run at once, over all levels. Upstream: 400 read-only and 200 mutating. */
  readonly concurrency: number
  /** How long a request waits for a seat. */
  readonly patienceMs: number
}

/** The parts of a request that flow control reads. `attributes` and `signal` are made lazily. */
export type FlowRequest = Pick<Request, 'user' | 'attributes' | 'signal'> & Partial<Pick<Request, 'trail'>>

export const FLOW_DEFAULTS: FlowConfig = { concurrency: 600, patienceMs: 15_000 }

/** API priority and fairness: decides which requests run now, which wait, and which are rejected with 429. */
export interface FlowControl {
  /**
   * Call the result when the request is finished. Throws 429 if the queues are full or the wait is over. Costs nothing for
   * `system:masters`.
   */
  enter(request: FlowRequest): Later<Leave>
  /** Running, waiting and rejected requests as metrics. */
  metrics(): Family[]
}

/** `flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration`, as far as flow control reads it. */
type PriorityLevel = KubeObject<{
  readonly type?: string
  readonly exempt?: { readonly nominalConcurrencyShares?: number }
  readonly limited?: {
    readonly nominalConcurrencyShares?: number
    readonly limitResponse?: {
      readonly type?: string
      readonly queuing?: { readonly queues?: number; readonly handSize?: number; readonly queueLengthLimit?: number }
    }
  }
}>
const isPriorityLevel = (object: KubeObject): object is PriorityLevel => object.kind === 'PriorityLevelConfiguration'

const FREE: Leave = () => {}

interface Level {
  readonly queues: FairQueues
  readonly exempt: boolean
  /** Counts of dispatched and rejected requests, by flow schema. */
  readonly dispatched: Map<string, number>
  readonly rejected: Map<string, number>
}

/**
 * Follows the flow schemas and priority levels of the cluster. Each level gets seats by its shares; levels do not borrow from each other.
 */
export function createFlowControl(
  config: FlowConfig,
  deps: { readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>; readonly clock: Clock },
): FlowControl {
  const { reader } = deps.watchCache
  const levels = new Map<string, Level>()
  let schemas: readonly FlowSchema[] = []
  let stale = true
  const change = () => {
    stale = true
  }
  deps.watchCache.onChange(GROUP, 'flowschemas', change)
  deps.watchCache.onChange(GROUP, 'prioritylevelconfigurations', change)
  const refresh = () => {
    stale = false
    schemas = inOrder(reader.list(GROUP, 'flowschemas').filter(isFlowSchema))
    const configurations = reader.list(GROUP, 'prioritylevelconfigurations').filter(isPriorityLevel)
    const shares = configurations.reduce((sum, c) => sum + sharesOf(c), 0)
    const names = new Set(configurations.map((c) => c.metadata.name ?? ''))
    for (const name of levels.keys()) if (!names.has(name)) levels.delete(name)
    for (const c of configurations) {
      const queueConfig = queueConfigOf(c, config.concurrency, shares)
      const name = c.metadata.name ?? ''
      const exempt = c.spec?.type === 'Exempt'
      const present = levels.get(name)
      if (present === undefined || present.exempt !== exempt) {
        levels.set(name, { queues: new FairQueues(queueConfig), exempt, dispatched: new Map(), rejected: new Map() })
      } else present.queues.reconfigure(queueConfig)
    }
  }
  return {
    enter(request) {
      if (request.user.groups.includes(SYSTEM_MASTERS)) return FREE
      if (stale) refresh()
      const a = request.attributes
      const schema = matchFlow(schemas, a)
      const level = levels.get(schema?.spec?.priorityLevelConfiguration?.name ?? 'catch-all')
      if (schema === undefined || level === undefined) return FREE
      const name = schema.metadata.name ?? ''
      request.trail?.seat(name, schema.spec?.priorityLevelConfiguration?.name ?? '')
      if (level.exempt) {
        count(level.dispatched, name)
        return FREE
      }
      const entry = level.queues.enter(flowHash(flowName(schema, a)))
      if (entry.kind === 'refuse') {
        count(level.rejected, `${name} ${level.queues.queues ? 'queue-full' : 'concurrency-limit'}`)
        throw tooManyRequests()
      }
      if (entry.kind === 'run') {
        count(level.dispatched, name)
        return entry.leave
      }
      return waitTurn(entry, deps.clock, config.patienceMs, request.signal).then(
        (leave) => {
          count(level.dispatched, name)
          return leave
        },
        (error: unknown) => {
          count(level.rejected, `${name} ${error instanceof StatusError && error.code === 429 ? 'time-out' : 'cancelled'}`)
          throw error
        },
      )
    },
    metrics() {
      if (stale) refresh()
      const limited = [...levels].filter(([, level]) => !level.exempt)
      const gauge = (name: string, help: string, value: (queues: FairQueues) => number): Family => ({
        name: `apiserver_flowcontrol_${name}`,
        type: 'gauge',
        help,
        samples: limited.map(([level, { queues }]): Sample => [labels({ priority_level: level }), value(queues)]),
      })
      return [
        gauge('current_executing_requests', 'Requests that run now.', (q) => q.running),
        gauge('current_executing_seats', 'Seats that are taken now.', (q) => q.running),
        gauge('current_inqueue_requests', 'Requests that wait now.', (q) => q.waiting),
        gauge('nominal_limit_seats', 'Seats by the shares of the level.', (q) => q.seats),
        gauge('current_limit_seats', 'Seats that may be taken.', (q) => q.seats),
        {
          name: 'apiserver_flowcontrol_dispatched_requests_total',
          type: 'counter',
          help: 'Requests that were let in (those of system:masters are not counted).',
          samples: [...levels].flatMap(([priority_level, { dispatched }]) =>
            [...dispatched].map(([flow_schema, n]): Sample => [labels({ flow_schema, priority_level }), n]),
          ),
        },
        {
          name: 'apiserver_flowcontrol_rejected_requests_total',
          type: 'counter',
          help: 'Requests that were told to come back later, or gave up waiting.',
          samples: [...levels].flatMap(([priority_level, { rejected }]) =>
            [...rejected].map(([key, n]): Sample => {
              const [flow_schema = '', reason = ''] = key.split(' ')
              return [labels({ flow_schema, priority_level, reason }), n]
            }),
          ),
        },
      ]
    },
  }
}

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

const sharesOf = (level: PriorityLevel): number =>
  level.spec?.type === 'Exempt' ? (level.spec.exempt?.nominalConcurrencyShares ?? 0) : (level.spec?.limited?.nominalConcurrencyShares ?? 30)

function queueConfigOf(level: PriorityLevel, concurrency: number, shares: number): QueueConfig {
  const seats = Math.max(1, Math.ceil((concurrency * sharesOf(level)) / Math.max(1, shares)))
  const response = level.spec?.limited?.limitResponse
  if (response?.type !== 'Queue') return { seats }
  return {
    seats,
    queuing: {
      queues: response.queuing?.queues ?? 64,
      handSize: response.queuing?.handSize ?? 8,
      queueLengthLimit: response.queuing?.queueLengthLimit ?? 50,
    },
  }
}

async function waitTurn(
  entry: { readonly ready: Promise<Leave>; readonly give: () => void },
  clock: Clock,
  patienceMs: number,
  signal: AbortSignal,
): Promise<Leave> {
  let givenUp = false
  const gaveUp = new Promise<'late' | 'gone'>((resolve) => {
    const cancel = clock.after(patienceMs, () => resolve('late'))
    const listening = onAbort(signal, () => resolve('gone'))
    entry.ready.then((leave) => {
      cancel()
      listening[Symbol.dispose]()
      // The seat came after the request had given up: pass it on.
      if (givenUp) leave()
    })
  })
  const first = await Promise.race([entry.ready, gaveUp])
  if (typeof first === 'function') return first
  givenUp = true
  entry.give()
  if (first === 'gone') throw signal.reason
  throw tooManyRequests()
}

const tooManyRequests = () =>
  new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: 'Too many requests, please try again later.',
    details: { retryAfterSeconds: 1 },
  })
