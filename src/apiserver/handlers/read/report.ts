import { giveTurn } from '../../../base/turns.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { notFound, notImplemented } from '../../../machinery/status-error.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import { passes } from '../../cache/view.ts'
import type { Report, ReportCollection, ReportReader } from '../../extension-points.ts'
import { reportItem } from '../../reports/report-item.ts'
import { ReportWatchSession } from '../../reports/report-watch-session.ts'
import { selectedKeys } from '../../reports/selected-keys.ts'
import { parseRevision } from '../../store/revision.ts'
import type { WatchSession } from '../../store/watch-session.ts'
import { keyOf } from '../../store/write.ts'
import type { Call, HandlerResult } from '../call.ts'
import type { ListOptions } from '../options.ts'
import type { Selection } from './selection.ts'

/** Objects that are made in one turn of the event loop. */
const PER_TURN = 256

/** An object that is computed by the report of its definition. */
export async function getReport(call: Call, name: string): Promise<KubeObject> {
  const report = reportOf(call, name)
  const { namespace, name: object } = call.target
  const { definition } = call.served
  if (typeof report === 'function') {
    const { user, signal } = call.request
    return report({ definition, namespace, name: object, user, signal }, call.tools)
  }
  await report.refreshed?.()
  const key = keyOf(definition, namespace, object)
  const found = (await report.objects([key], readerOf(call))).get(key)
  if (found === undefined) throw notFound({ group: definition.group, resource: definition.names.plural }, object)
  return found.object
}

/** All objects of a computed collection; it has no pages. */
export async function listReports(call: Call, name: string, { filter }: Selection): Promise<Extract<HandlerResult, { kind: 'list' }>> {
  const collection = collectionOf(call, name)
  await collection.refreshed?.()
  const revision = collection.changes.revision
  const keys = collection.keys()
  const items: StoredObject[] = []
  for (let from = 0; from < keys.length; from += PER_TURN) {
    if (from > 0) await giveTurn()
    const selected = selectedKeys(keys.slice(from, from + PER_TURN), collection, filter)
    for (const [key, { object }] of await collection.objects(selected, readerOf(call))) {
      const item = reportItem(key, object)
      if (passes(filter, item)) items.push(item)
    }
  }
  return { kind: 'list', items, metadata: { resourceVersion: String(revision) } }
}

interface Watching {
  readonly chosen: Selection
  readonly options: ListOptions
  readonly timeoutMs: number
}

/** A watch of a computed collection. */
export function watchReports(call: Call, name: string, { chosen, options, timeoutMs }: Watching): WatchSession {
  const revision = options.resourceVersion === '' || options.sendInitialEvents === true ? 0 : parseRevision(options.resourceVersion)
  return new ReportWatchSession({
    definition: call.served.definition,
    collection: collectionOf(call, name),
    reader: readerOf(call),
    filter: chosen.filter,
    from: typeof revision === 'string' || revision === 0 ? 'now' : revision,
    initialEvents: options.sendInitialEvents !== false,
    initialBookmark: options.sendInitialEvents === true && options.allowWatchBookmarks,
    timeoutMs,
    clock: call.deps.clock,
  })
}

function reportOf(call: Call, name: string): Report | ReportCollection {
  const report = call.deps.reports?.[name]
  if (report === undefined) throw notImplemented(name)
  return report
}

function collectionOf(call: Call, name: string): ReportCollection {
  const report = reportOf(call, name)
  if (typeof report === 'function') throw notImplemented(`a list of ${name}`)
  return report
}

const readerOf = ({ request, deps }: Call): ReportReader => ({ user: request.user, authorizer: deps.authorizer })
