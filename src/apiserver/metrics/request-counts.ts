import { exponentialBounds, type Family, Histogram, labels, type Sample } from '../../base/exposition.ts'
import type { Subresource } from '../../machinery/resource/definition.ts'
import type { ServedResource } from '../cache/resource-registry.ts'
import type { Request } from '../request/request.ts'
import type { RequestBody } from '../request/request-body.ts'
import type { RequestCounter } from '../request/request-counter.ts'
import type { PathTarget } from '../request/request-info.ts'

const SECONDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]
const RESPONSE_BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
/** From 50 kB to 3.05 MB, in steps of 100 kB. */
const REQUEST_BYTES = Array.from({ length: 31 }, (_, i) => 50_000 + 100_000 * i)
const EVENT_BYTES = exponentialBounds(1024, 2, 8)

/** Counts of requests with the same verb, resource, subresource, scope and dry run. */
export class RouteCounts implements RequestCounter {
  readonly labels: Readonly<Record<string, string>>
  readonly codes = new Map<number, number>()
  readonly seconds = new Histogram(SECONDS)
  readonly sizes: Histogram | undefined
  readonly bodies: Histogram | undefined
  /** The definition marks the requested version as deprecated. */
  readonly deprecated: boolean
  /** Undefined for requests that are not long-running. */
  running: number | undefined
  /** Requests that were ended by the server itself, by the code of the response: 429 and 504. */
  readonly terminated = new Map<number, number>()
  /** Requests that were aborted because their time was up. */
  aborted = 0
  /** Sizes of the events that watchers got; undefined: it is no watch. */
  readonly events: Histogram | undefined

  constructor(init: { labels: Readonly<Record<string, string>>; long: boolean; deprecated: boolean }) {
    const { verb } = init.labels
    this.labels = init.labels
    this.running = init.long ? 0 : undefined
    this.deprecated = init.deprecated
    this.events = verb === 'WATCH' ? new Histogram(EVENT_BYTES) : undefined
    this.sizes = verb === 'GET' || verb === 'LIST' ? new Histogram(RESPONSE_BYTES) : undefined
    this.bodies = WRITES.has(verb ?? '') ? new Histogram(REQUEST_BYTES) : undefined
  }

  abort(): void {
    this.aborted++
  }

  terminate(code: number): void {
    this.terminated.set(code, (this.terminated.get(code) ?? 0) + 1)
  }

  begin(): void {
    if (this.running !== undefined) this.running++
  }

  done(code: number, seconds: number, bytes?: number, announced?: string): void {
    if (this.running !== undefined) this.running--
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1)
    this.seconds.observe(seconds)
    if (bytes !== undefined) this.sizes?.observe(bytes)
    if (announced !== undefined) this.bodies?.observe(Number(announced))
  }

  /** Each event counts with the mean of its batch. */
  sent(events: number, bytes: number): void {
    if (events > 0) this.events?.observe(bytes / events, events)
  }
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION'])

/** The parts of a call that select its counts. */
export interface CountedCall {
  readonly request: Pick<Request, 'info' | 'query' | 'body'>
  readonly target: PathTarget
  readonly served: ServedResource
  readonly subresource: Subresource | undefined
}

const isApply = (body: RequestBody): boolean =>
  body.kind === 'bytes' ? body.contentType?.startsWith('application/apply-patch') === true : body.patchType === 'apply'

const VERBS: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT' }

/** The most routes that are counted apart, of some 70 lines each: definitions come and go, and what was asked of them stays. */
export const MOST_ROUTES = 3000
const OTHERS = { group: 'other', resource: 'other', subresource: '', version: 'other' }

/** Request counts by route. Only served resources are counted by name, so the number of series is bounded. */
export class RequestCounts {
  readonly #routes = new Map<string, RouteCounts>()

  /** The counts of a request on a resource. */
  of({ request, target, served, subresource }: CountedCall): RouteCounts {
    const { group, names } = served.definition
    const { version, deprecationWarning } = served.version
    const { verb } = request.info
    const scope = target.name !== '' || verb === 'create' ? 'resource' : target.namespace !== '' ? 'namespace' : 'cluster'
    const dryRun = request.query.get('dryRun') === 'All'
    const apply = verb === 'patch' && isApply(request.body)
    const connects = subresource?.kind === 'connect'
    const key = `${group}/${version}/${names.plural}/${target.subresource} ${apply ? 'apply' : verb} ${scope} ${dryRun}`
    const counts = this.#routes.get(key)
    if (counts !== undefined) return counts
    const isApart = this.#routes.size < MOST_ROUTES
    const own = {
      component: 'apiserver',
      dry_run: dryRun ? 'All' : '',
      scope,
      verb: connects ? 'CONNECT' : apply ? 'APPLY' : (VERBS[verb] ?? verb.toUpperCase()),
      ...(isApart ? { group, resource: names.plural, subresource: target.subresource, version } : OTHERS),
    }
    return this.#open(isApart ? key : `others ${own.verb} ${scope} ${dryRun}`, {
      labels: own,
      long: connects || verb === 'watch',
      deprecated: isApart && deprecationWarning !== undefined,
    })
  }

  /** The counts of a non-resource path; undefined for those that kube-apiserver does not count. */
  ofPage(path: string, method: string): RouteCounts | undefined {
    const page = pageOf(path)
    if (page === undefined) return undefined
    const verb = method === 'HEAD' ? 'GET' : METHODS.has(method) ? method : 'other'
    const none = { dry_run: '', group: '', scope: '', version: '' }
    return this.#open(`${verb} ${page.subresource || page.resource}`, {
      labels: { ...none, ...page, verb },
      long: false,
      deprecated: false,
    })
  }

  #open(key: string, init: ConstructorParameters<typeof RouteCounts>[0]): RouteCounts {
    const counts = this.#routes.get(key) ?? new RouteCounts(init)
    this.#routes.set(key, counts)
    return counts
  }

  families(): Family[] {
    const routes = [...this.#routes.values()]
    const only = (route: RouteCounts, ...names: readonly string[]) =>
      labels(Object.fromEntries(names.map((name) => [name, route.labels[name] ?? ''])))
    const long = routes.filter((r) => r.running !== undefined)
    const durations = sliDurations(routes.filter((r) => r.running === undefined))
    const events = joined(
      routes,
      (r) => r.events,
      (r) => only(r, 'group', 'resource', 'version'),
    )
    const wanted = ['group', 'resource', 'subresource', 'version']
    return [
      {
        name: 'apiserver_request_total',
        type: 'counter',
        help: 'Answered requests by what they asked for and how they ended.',
        samples: routes.flatMap((r) => [...r.codes].map(([code, n]): Sample => [labels({ ...r.labels, code: String(code) }), n])),
      },
      {
        name: 'apiserver_request_duration_seconds',
        type: 'histogram',
        help: 'From the arrival of a request to the end of its answer.',
        samples: routes.map((r): Sample => [labels(r.labels), r.seconds]),
      },
      {
        name: 'apiserver_request_sli_duration_seconds',
        type: 'histogram',
        help: 'The same for requests that are not long-running, without dry runs apart. Time in webhooks and queues counts.',
        samples: durations,
      },
      {
        name: 'apiserver_request_slo_duration_seconds',
        type: 'histogram',
        help: 'The former name of apiserver_request_sli_duration_seconds.',
        samples: durations,
      },
      {
        name: 'apiserver_response_sizes',
        type: 'histogram',
        help: 'Bytes of answers to reads, as they were sent.',
        samples: routes.flatMap((r): Sample[] =>
          r.sizes === undefined ? [] : [[only(r, 'component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'), r.sizes]],
        ),
      },
      {
        name: 'apiserver_request_body_size_bytes',
        type: 'histogram',
        help: 'Bytes of the bodies of writes.',
        samples: joined(
          routes,
          (r) => r.bodies,
          ({ labels: own }) => labels({ group: own.group ?? '', resource: own.resource ?? '', verb: BODY_VERBS[own.verb ?? ''] ?? '' }),
        ),
      },
      {
        name: 'apiserver_longrunning_requests',
        type: 'gauge',
        help: 'Watches and connections that are open now.',
        samples: long.map(
          (r): Sample => [only(r, 'component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'), r.running ?? 0],
        ),
      },
      {
        name: 'apiserver_request_terminations_total',
        type: 'counter',
        help: 'Requests that the server itself ended: too many of them, or out of time.',
        samples: routes.flatMap((r) =>
          [...r.terminated].map(([code, n]): Sample => {
            const { dry_run: _, ...own } = r.labels
            return [labels({ ...own, code: String(code) }), n]
          }),
        ),
      },
      {
        name: 'apiserver_request_aborts_total',
        type: 'counter',
        help: 'Requests that were aborted because their time was up.',
        samples: summed(
          routes.filter((r) => r.aborted > 0),
          (r) => only(r, 'group', 'resource', 'scope', 'subresource', 'verb', 'version'),
          (r) => r.aborted,
        ),
      },
      {
        name: 'apiserver_watch_events_total',
        type: 'counter',
        help: 'Events sent to watchers.',
        samples: [...events].map(([text, { counts }]): Sample => [text, counts.reduce((sum, n) => sum + n, 0)]),
      },
      {
        name: 'apiserver_watch_events_sizes',
        type: 'histogram',
        help: 'Bytes of events sent to watchers.',
        samples: events,
      },
      {
        name: 'apiserver_requested_deprecated_apis',
        type: 'gauge',
        help: 'Deprecated APIs that were asked for.',
        samples: summed(
          routes.filter((r) => r.deprecated),
          (r) => `${only(r, ...wanted.slice(0, 1))},removed_release="",${only(r, ...wanted.slice(1))}`,
          () => 0,
        ).map(([text]): Sample => [text, 1]),
      },
    ]
  }
}

function summed(routes: readonly RouteCounts[], key: (r: RouteCounts) => string, value: (r: RouteCounts) => number): Sample[] {
  const sums = new Map<string, number>()
  for (const r of routes) sums.set(key(r), (sums.get(key(r)) ?? 0) + value(r))
  return [...sums]
}

/** The bounds that the durations of service levels have. */
const SLI_SECONDS = SECONDS.filter((bound) => bound >= 0.05)

function sliDurations(routes: readonly RouteCounts[]): Sample[] {
  const joined = new Map<string, Histogram>()
  for (const { labels: own, seconds } of routes) {
    const { dry_run: _, ...others } = own
    const text = labels(others)
    const sum = joined.get(text) ?? new Histogram(SLI_SECONDS)
    joined.set(text, sum)
    const skipped = SECONDS.length - SLI_SECONDS.length
    for (const [i, n] of seconds.counts.entries()) {
      const at = Math.max(0, i - skipped)
      sum.counts[at] = (sum.counts[at] ?? 0) + n
    }
    sum.sum += seconds.sum
  }
  return [...joined]
}

/** Histograms of the same bounds as one for each text of labels. Routes that observed nothing are left out. */
function joined(
  routes: readonly RouteCounts[],
  of: (route: RouteCounts) => Histogram | undefined,
  key: (route: RouteCounts) => string,
): Map<string, Histogram> {
  const sums = new Map<string, Histogram>()
  for (const route of routes) {
    const more = of(route)
    if (more === undefined || more.counts.every((n) => n === 0)) continue
    const text = key(route)
    const sum = sums.get(text) ?? new Histogram(more.bounds)
    sums.set(text, sum)
    for (const [i, n] of more.counts.entries()) sum.counts[i] = (sum.counts[i] ?? 0) + n
    sum.sum += more.sum
  }
  return sums
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT'])

/** The labels of the pages that kube-apiserver counts, as it writes them. */
const PAGES: Readonly<Record<string, { readonly component: string; readonly resource: string; readonly subresource: string }>> = {
  '/api': { component: 'apiserver', resource: '', subresource: 'api' },
  '/apis': { component: 'apiserver', resource: '', subresource: 'apis' },
  '/flagz': { component: 'apiserver', resource: 'flagz', subresource: '' },
  '/statusz': { component: 'apiserver', resource: 'statusz', subresource: '' },
  '/healthz': { component: '', resource: '', subresource: '/healthz' },
  '/livez': { component: '', resource: '', subresource: '/livez' },
  '/readyz': { component: '', resource: '', subresource: '/readyz' },
  '/openapi/v3': { component: '', resource: '', subresource: 'openapi/v3' },
  '/openapi/v3/': { component: '', resource: '', subresource: 'openapi/v3/' },
}

function pageOf(path: string) {
  const known = path.startsWith('/openapi/v3/') ? '/openapi/v3/' : path
  return Object.hasOwn(PAGES, known) ? PAGES[known] : undefined
}

/** The verbs of bodies, which are named otherwise than those of requests. */
const BODY_VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  APPLY: 'patch',
  DELETE: 'delete',
  DELETECOLLECTION: 'deletecollection',
}
