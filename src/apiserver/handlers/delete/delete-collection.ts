import { isStatus } from '../../../machinery/status-error.ts'
import type { Call, HandlerResult } from '../call.ts'
import { deleteOptions, deleteOptionsOfQuery, type ListOptions, listOptions, refuse, unsafeFault } from '../options.ts'
import { listWith } from '../read/list.ts'
import { selection } from '../read/selection.ts'
import { deletion, warnOfOrphans } from './delete.ts'
import { receiveDeleteOptions } from './delete-body.ts'

/** DELETE of a collection: lists the objects, deletes each, and returns the list. */
export async function removeCollection(call: Call): Promise<HandlerResult> {
  const selectors = asPaged(listOptions(call.request.query, false))
  // Selectors that cannot be served are refused before the options of the delete are read.
  selection(call.served, call.target, selectors)
  const body = await receiveDeleteOptions(call)
  const { gates } = call.deps
  const options = body === undefined ? deleteOptionsOfQuery(call.request.query, gates) : deleteOptions(body, gates)
  if (options.unreadable)
    refuse('DeleteOptions', [unsafeFault('is not allowed with DELETECOLLECTION, try again after removing the option')])
  warnOfOrphans(call, options)
  call.deps.store.assertAllReadable(call.served.definition, call.target.namespace === '' ? '' : `${call.target.namespace}/`)
  const listed = await listWith(call, selectors)
  const write = deletion(call, options)
  for (const item of listed.items) {
    if (call.request.signal.aborted) throw call.request.signal.reason
    const place = { namespace: item.namespace, name: item.name, subresource: '' }
    try {
      await call.deps.store.delete({ ...write, place, ofCollection: true }, options)
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error
    }
  }
  return listed
}

/** Kubernetes lists what it deletes in pages (unless the limit is negative), and a page of a revision is exact. */
const asPaged = (options: ListOptions): ListOptions =>
  options.limit < 0 || ['', '0'].includes(options.resourceVersion) || options.resourceVersionMatch !== ''
    ? options
    : { ...options, resourceVersionMatch: 'Exact' }
