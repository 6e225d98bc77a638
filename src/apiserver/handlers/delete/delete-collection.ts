import { isStatus } from '../../../machinery/status-error.ts'
import type { Answer, Call } from '../call.ts'
import { listWith } from '../read/list.ts'
import { deleteOptions, deleteOptionsOfQuery, listOptions } from '../request/options.ts'
import { removeStored, warnOfOrphans } from './delete.ts'
import { receiveDeleteOptions } from './delete-body.ts'

/** DELETE of a collection: lists, deletes each, and answers with what was listed. */
export async function removeCollection(call: Call): Promise<Answer> {
  const selectors = listOptions(call.query, false)
  const body = await receiveDeleteOptions(call)
  const options = body === undefined ? deleteOptionsOfQuery(call.query) : deleteOptions(body)
  const listed = await listWith(call, selectors)
  warnOfOrphans(call, options)
  for (const item of listed.items) {
    const one: Call = { ...call, target: { ...call.target, namespace: item.namespace, name: item.name } }
    try {
      await removeStored(one, options)
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error
    }
  }
  return listed
}
