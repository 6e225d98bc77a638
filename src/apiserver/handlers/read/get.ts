import { goQuote } from '../../../machinery/field-error.ts'
import { isCached } from '../../../machinery/resource/definition.ts'
import { badRequest, StatusError } from '../../../machinery/status-error.ts'
import { parseFlag } from '../../request/go-values.ts'
import { parseRevision } from '../../store/revision.ts'
import type { Call, HandlerResult } from '../call.ts'
import { reached } from './list.ts'
import { getReport } from './report.ts'

/** GET of one object. */
export async function get(call: Call): Promise<HandlerResult> {
  const { report } = call.served.definition
  if (report !== undefined) return { kind: 'object', code: 200, object: await getReport(call, report) }
  if (parseFlag(call.request.query.get('export'))) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
  const wanted = call.request.query.get('resourceVersion') ?? ''
  if (wanted === '') await call.deps.store.consistent(call.served.definition)
  else if (wanted !== '0') await freshEnough(call, wanted)
  return { kind: 'item', code: 200, item: call.deps.store.get({ served: call.served, place: call.target, anyState: wanted === '0' }) }
}

async function freshEnough(call: Call, wanted: string): Promise<void> {
  const revision = parseRevision(wanted)
  if (typeof revision !== 'string') return reached(call, revision)
  const message = `resourceVersion: Invalid value: ${goQuote(wanted)}: ${revision}`
  if (!isCached(call.served.definition)) throw badRequest(`invalid resource version: ${message}`)
  throw new StatusError({ code: 500, message })
}
