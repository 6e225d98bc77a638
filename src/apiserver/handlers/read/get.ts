import { goQuote } from '../../../machinery/field-error.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { badRequest, notImplemented, StatusError } from '../../../machinery/status-error.ts'
import { parseFlag } from '../../request/go-values.ts'
import { parseRevision } from '../../store/revision.ts'
import type { Answer, Call } from '../call.ts'
import { reached } from './list.ts'

/** GET of one object. */
export async function get(call: Call): Promise<Answer> {
  const { report } = call.served.definition
  if (report !== undefined) return { kind: 'object', code: 200, object: await reported(call, report) }
  if (parseFlag(call.request.query.get('export'))) throw badRequest('the export parameter, deprecated since v1.14, is no longer supported')
  const wanted = call.request.query.get('resourceVersion') ?? ''
  if (wanted === '') await call.deps.store.consistent()
  else if (wanted !== '0') await freshEnough(call, wanted)
  return { kind: 'item', code: 200, item: call.deps.store.get({ served: call.served, place: call.target }) }
}

async function freshEnough(call: Call, wanted: string): Promise<void> {
  const revision = parseRevision(wanted)
  if (typeof revision === 'string') {
    throw new StatusError({ code: 500, message: `resourceVersion: Invalid value: ${goQuote(wanted)}: ${revision}` })
  }
  await reached(call, revision)
}

/** An object that is computed by the report of its definition. */
function reported(call: Call, name: string): Promise<KubeObject> {
  const report = call.deps.reports?.[name]
  if (report === undefined) throw notImplemented(name)
  const { namespace, name: object } = call.target
  return report(
    { definition: call.served.definition, namespace, name: object, user: call.request.user, signal: call.request.signal },
    call.tools,
  )
}
