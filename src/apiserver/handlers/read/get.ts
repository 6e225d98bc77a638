import { goQuote } from '../../../machinery/field-error.ts'
import { pathSegmentName } from '../../../machinery/names.ts'
import { badRequest, notFound, StatusError } from '../../../machinery/status-error.ts'
import type { Item } from '../../cache/item.ts'
import { parseUint64 } from '../body/go-values.ts'
import { type Answer, type Call, groupResource, keyOf } from '../call.ts'
import { reached } from './list.ts'

/** GET of one object. */
export async function get(call: Call): Promise<Answer> {
  const wanted = call.query.get('resourceVersion') ?? ''
  if (wanted === '') await call.deps.registry.consistent()
  else if (wanted !== '0') await freshEnough(call, wanted)
  return { kind: 'item', code: 200, item: stored(call) }
}

async function freshEnough(call: Call, wanted: string): Promise<void> {
  const revision = parseUint64(wanted)
  if (typeof revision === 'string') {
    throw new StatusError({ code: 500, message: `resourceVersion: Invalid value: ${goQuote(wanted)}: ${revision}` })
  }
  await reached(call, revision)
}

/** The addressed object, or 404. */
export function stored(call: Call): Item {
  const item = find(call)
  if (item === undefined) throw notFound(groupResource(call), call.target.name)
  return item
}

export function find(call: Call): Item | undefined {
  const { definition } = call.served
  const faults = pathSegmentName(call.target.name)
  if (faults.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(call.target.name)}: ${faults.join(';')}`)
  return call.deps.registry.cache(definition).get(keyOf(definition, call.target.namespace, call.target.name))
}
