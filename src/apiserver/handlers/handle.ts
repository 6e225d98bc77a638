import { notImplemented } from '../../machinery/status-error.ts'
import { act } from './action.ts'
import type { Call, HandlerResult } from './call.ts'
import { create } from './create.ts'
import { remove } from './delete/delete.ts'
import { removeCollection } from './delete/delete-collection.ts'
import { patch } from './patch/patch.ts'
import { get } from './read/get.ts'
import { list } from './read/list.ts'
import { watch } from './read/watch.ts'
import { scale } from './scale.ts'
import { update } from './update.ts'

/** Runs the handler of a call. */
export function handle(call: Call): Promise<HandlerResult> {
  const { subresource } = call
  if (subresource?.kind === 'action') return act(call, subresource)
  if (subresource?.kind === 'scale') return scale(call, subresource)
  const { verb } = call.request.info
  switch (verb) {
    case 'get':
      return get(call)
    case 'list':
      return list(call)
    case 'watch':
      return watch(call)
    case 'create':
      return create(call)
    case 'update':
      return update(call)
    case 'patch':
      return patch(call)
    case 'delete':
      return remove(call)
    case 'deletecollection':
      return removeCollection(call)
    default:
      throw notImplemented(`the verb ${verb}`)
  }
}
