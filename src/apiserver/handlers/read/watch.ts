import { goQuote } from '../../../machinery/field-error.ts'
import { isStatus, type Status, StatusError } from '../../../machinery/status-error.ts'
import { parseFlag } from '../../request/go-values.ts'
import { parseRevision } from '../../store/revision.ts'
import type { WatchSession } from '../../store/watch-session.ts'
import type { Call, HandlerResult } from '../call.ts'
import { type ListOptions, listOptions } from '../options.ts'
import { reached } from './list.ts'
import { watchReports } from './report.ts'
import { selection } from './selection.ts'

const MIN_WATCH_MS = 1_800_000

/** A watch of a collection or of one object. */
export async function watch(call: Call): Promise<HandlerResult> {
  const { query } = call.request
  // On the older path, below `/watch/`, the options are compared as those of a list.
  const options = listOptions(query, call.target.prefix !== 'watch' || parseFlag(query.get('watch')))
  const chosen = selection(call.served, call.target, options)
  const { store, random, minWatchMs = MIN_WATCH_MS } = call.deps
  const requested = options.timeoutSeconds ?? 0
  // A negative one has passed already: Kubernetes ends the watch before its first event, or with an error.
  const over = requested < 0
  const timeoutMs = requested === 0 ? minWatchMs * (1 + random.next()) : Math.max(0, requested * 1000)
  const { report } = call.served.definition
  if (report !== undefined) return observed(call, options, watchReports(call, report, { chosen, options, timeoutMs }))
  const start = await startOf(call, options)
  const session = store.watch(call.served.definition, {
    filter: chosen.filter,
    ...start,
    initialEvents: !over && options.sendInitialEvents !== false,
    initialBookmark: !over && options.sendInitialEvents === true && options.allowWatchBookmarks,
    bookmarks: !over && options.allowWatchBookmarks,
    timeoutMs,
  })
  return observed(call, options, session)
}

function observed({ deps, request, target }: Call, { labelSelector, fieldSelector }: ListOptions, session: WatchSession): HandlerResult {
  const query = { target, labelSelector, fieldSelector }
  return { kind: 'watch', session: deps.watches?.opened({ request, query, session }) ?? session }
}

interface Start {
  readonly from: 'now' | number
  readonly failure?: Status
}

/** A store that does not respond in time ends the watch, not the request: its only event is the error. */
async function startAtLatest(call: Call): Promise<Start> {
  try {
    await call.deps.store.consistent(call.served.definition)
    return { from: 'now' }
  } catch (error) {
    if (isStatus(error) && error.status.code === 504) return { from: 'now', failure: error.status }
    throw error
  }
}

async function startOf(call: Call, options: ListOptions): Promise<Start> {
  const revision = options.resourceVersion === '' ? 0 : parseRevision(options.resourceVersion)
  if (typeof revision === 'string') {
    throw new StatusError({ code: 500, message: `resourceVersion: Invalid value: ${goQuote(options.resourceVersion)}: ${revision}` })
  }
  // Any state will do.
  if (options.resourceVersion === '0') return { from: 'now' }
  if (revision === 0) return startAtLatest(call)
  if (options.sendInitialEvents !== true) return { from: revision }
  try {
    await reached(call, revision)
    return { from: 'now' }
  } catch (error) {
    // The client expects a stream: the error becomes its only event.
    if (isStatus(error)) return { from: 'now', failure: error.status }
    throw error
  }
}
