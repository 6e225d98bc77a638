import type { Subresource } from '../../machinery/resource/definition.ts'
import { notImplemented } from '../../machinery/status-error.ts'
import { fillNamespace } from '../store/object-meta.ts'
import { receive } from './body/receive.ts'
import type { Call, HandlerResult } from './call.ts'
import { writeOptions } from './options.ts'
import { effectRequest, kindFirst } from './review.ts'

/** POST on a subresource that takes an input of another kind and has an effect. */
export async function act(call: Call, subresource: Extract<Subresource, { kind: 'action' }>): Promise<HandlerResult> {
  const action = call.deps.actions[subresource.action]
  if (action === undefined) throw notImplemented(subresource.action)
  const options = writeOptions('CreateOptions', call.request.query, undefined)
  const { input: gvk } = subresource
  const schema = call.deps.kinds.schema(gvk.group, gvk.version, gvk.kind)
  const input = await receive(call, { gvk, schema, custom: false }, options.fieldValidation)
  subresource.defaults?.(input)
  call.request.audit?.object(input)
  fillNamespace(input, call.served.definition.scope === 'Namespaced', call.target.namespace)
  const object = await action(await effectRequest(call, input, options), call.tools)
  return { kind: 'object', code: 201, object: kindFirst(object) }
}
