import { goQuote } from '../../machinery/field-error.ts'
import { badRequest } from '../../machinery/status-error.ts'
import type { Answer, Call } from './call.ts'
import { parseUint64 } from './go-values.ts'
import { reached } from './list.ts'
import { type ListOptions, listOptions } from './options.ts'
import { selection } from './selection.ts'
import { WatchSession } from './watch-session.ts'

const LEAST_TIMEOUT_MS = 1_800_000

/** A watch of a collection or of one object. */
export async function watch(call: Call): Promise<Answer> {
  const options = listOptions(call.query, true)
  const { filter } = selection(call.served, call.target, options)
  const { registry, clock, random } = call.deps
  const from = await startOf(call, options)
  const asked = options.timeoutSeconds ?? 0
  const session = new WatchSession({
    registry,
    cache: registry.cache(call.served.definition),
    clock,
    filter,
    from,
    initialEvents: options.sendInitialEvents !== false,
    initialBookmark: options.sendInitialEvents === true && options.allowWatchBookmarks,
    bookmarks: options.allowWatchBookmarks,
    timeoutMs: asked > 0 ? asked * 1000 : LEAST_TIMEOUT_MS * (1 + random.next()),
  })
  return { kind: 'watch', session }
}

async function startOf(call: Call, options: ListOptions): Promise<'now' | number> {
  const { registry } = call.deps
  const revision = options.resourceVersion === '' ? 0 : parseUint64(options.resourceVersion)
  if (typeof revision === 'string') {
    throw badRequest(`resourceVersion: Invalid value: ${goQuote(options.resourceVersion)}: ${revision}`)
  }
  if (revision === 0) {
    await registry.consistent()
    return 'now'
  }
  if (options.sendInitialEvents !== true) return revision
  await reached(call, revision)
  return 'now'
}
