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
import { FlowCounts } from './flow-counts.ts'
import { type FlowSchema, flowName, inOrder, isFlowSchema, matchFlow } from './match-flow.ts'
import { tooManyRequests } from './too-many-requests.ts'

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

/** Decides which requests run now, which wait, and which are rejected with 429. */
export interface FlowControl {
  /** Whether it is API priority and fairness. */
  readonly isFair: boolean
  /** Finds the flow schema and the priority level of a request; undefined: it has none. */
  classify(request: FlowRequest): Classification | undefined
  /** Call the result when the request is finished. Throws 429 if the queues are full or the wait is over. */
  enter(request: FlowRequest, classification?: Classification): Later<Leave>
  /** Running, waiting and rejected requests as metrics. */
  metrics(): Family[]
}

/** The flow schema and the priority level of a request. */
export interface Classification {
  readonly schema: FlowSchema
  readonly level: string
  /** The headers of its response that name both. */
  readonly headers: Readonly<Record<string, string>>
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
}

/**
 * API priority and fairness. Follows the flow schemas and priority levels of the cluster. Each level gets seats by its shares; levels do
 * not borrow from each other.
 */
export function createFlowControl(
  config: FlowConfig,
  deps: { readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>; readonly clock: Clock },
): FlowControl {
  const { clock } = deps
  const { reader } = deps.watchCache
  const counts = new FlowCounts()
  const levels = new Map<string, Level>()
  let schemas: readonly FlowSchema[] = []
  /** The classes of requests, by flow schema. */
  let classes: ReadonlyMap<FlowSchema, Classification> = new Map()
  /** The class of `system:masters`: it is known without a look at the request. */
  let masters: Classification | undefined
  let stale = true
  const change = () => {
    stale = true
  }
  deps.watchCache.onChange(GROUP, 'flowschemas', change)
  deps.watchCache.onChange(GROUP, 'prioritylevelconfigurations', change)
  const refresh = () => {
    stale = false
    const configurations = reader.list(GROUP, 'prioritylevelconfigurations').filter(isPriorityLevel)
    const shares = configurations.reduce((sum, c) => sum + sharesOf(c), 0)
    const names = new Set(configurations.map((c) => c.metadata.name ?? ''))
    const uids = new Map(configurations.map(({ metadata: { name = '', uid = '' } }) => [name, uid]))
    // A schema whose level is missing classifies nothing.
    schemas = inOrder(reader.list(GROUP, 'flowschemas').filter(isFlowSchema)).filter((schema) => names.has(levelOf(schema)))
    classes = new Map(schemas.map((schema) => [schema, classOf(schema, uids)]))
    masters = classes.get(schemas.find(isOfMasters) ?? NO_SCHEMA)
    for (const name of levels.keys()) if (!names.has(name)) levels.delete(name)
    counts.retain(names)
    for (const c of configurations) {
      const queueConfig = queueConfigOf(c, config.concurrency, shares)
      const name = c.metadata.name ?? ''
      const exempt = c.spec?.type === 'Exempt'
      const present = levels.get(name)
      if (present === undefined || present.exempt !== exempt) {
        levels.set(name, { queues: new FairQueues(queueConfig), exempt })
      } else present.queues.reconfigure(queueConfig)
    }
  }
  const classify: FlowControl['classify'] = (request) => {
    if (stale) refresh()
    if (request.user.groups.includes(SYSTEM_MASTERS)) return masters
    return classes.get(matchFlow(schemas, request.attributes) ?? NO_SCHEMA)
  }
  return {
    isFair: true,
    classify,
    enter(request, classification = classify(request)) {
      const level = levels.get(classification?.level ?? '')
      if (classification === undefined || level === undefined) return FREE
      const { schema } = classification
      const name = schema.metadata.name ?? ''
      request.trail?.seat(name, classification.level)
      const arrived = clock.monotonic()
      const waited = () => (clock.monotonic() - arrived) / 1000
      const dispatched = (leave: Leave): Leave => {
        const done = counts.dispatched(classification.level, name, waited())
        const begun = clock.monotonic()
        return () => {
          done((clock.monotonic() - begun) / 1000)
          leave()
        }
      }
      const rejected = (reason: string) => counts.rejected(classification.level, name, reason, waited())
      if (level.exempt) return dispatched(FREE)
      const entry = level.queues.enter(flowHash(flowName(schema, request.attributes)))
      if (entry.kind === 'refuse') {
        rejected(level.queues.queues ? 'queue-full' : 'concurrency-limit')
        throw tooManyRequests()
      }
      if (entry.kind === 'run') return dispatched(entry.leave)
      const queued = counts.queued(classification.level, name)
      const turn = waitTurn(entry, clock, config.patienceMs, request.signal).finally(queued)
      return turn.then(dispatched, (error: unknown) => {
        rejected(error instanceof StatusError && error.code === 429 ? 'time-out' : 'cancelled')
        throw error
      })
    },
    metrics() {
      if (stale) refresh()
      const limited = [...levels].filter(([, level]) => !level.exempt)
      const gauge = (name: string, help: string): Family => ({
        name: `apiserver_flowcontrol_${name}`,
        type: 'gauge',
        help,
        samples: limited.map(([level, { queues }]): Sample => [labels({ priority_level: level }), queues.seats]),
      })
      return [
        gauge('nominal_limit_seats', 'Seats by the shares of the level.'),
        gauge('request_concurrency_limit', 'Seats by the shares of the level.'),
        gauge('current_limit_seats', 'Seats that may be taken.'),
        // No level lends or borrows seats.
        gauge('lower_limit_seats', 'Fewest seats that the level has.'),
        gauge('upper_limit_seats', 'Most seats that the level has.'),
        ...counts.families(),
      ]
    },
  }
}

const NO_SCHEMA: FlowSchema = { apiVersion: '', kind: 'FlowSchema', metadata: {} }

const isOfMasters = (schema: FlowSchema) =>
  schema.spec?.rules?.some((rules) => rules.subjects?.some((s) => s.kind === 'Group' && s.group?.name === SYSTEM_MASTERS)) === true

const levelOf = (schema: FlowSchema) => schema.spec?.priorityLevelConfiguration?.name ?? 'catch-all'

function classOf(schema: FlowSchema, levels: ReadonlyMap<string, string>): Classification {
  const level = levelOf(schema)
  const headers = {
    'x-kubernetes-pf-flowschema-uid': schema.metadata.uid ?? '',
    'x-kubernetes-pf-prioritylevel-uid': levels.get(level) ?? '',
  }
  return { schema, level, headers }
}

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
