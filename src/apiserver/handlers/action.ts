import { timestamp } from '../../base/clock.ts'
import { promptly } from '../../base/steps.ts'
import { trackUpdateSteps } from '../../machinery/managed-fields/track-update.ts'
import { apiVersionOf, type KubeObject } from '../../machinery/object.ts'
import type { Subresource } from '../../machinery/resource/definition.ts'
import { asGiven } from '../../machinery/schema/given-empty.ts'
import type { Schema } from '../../machinery/schema/schema.ts'
import { notImplemented } from '../../machinery/status-error.ts'
import { fillNamespace } from '../store/object-meta.ts'
import { receive } from './body/receive.ts'
import type { Call, HandlerResult } from './call.ts'
import { managerOf } from './manager-of.ts'
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
  // The audit log has it in the version that it names, which may be an old one.
  call.request.audit?.object(input)
  input.apiVersion = apiVersionOf(gvk)
  fillNamespace(input, call.served.definition.scope === 'Namespaced', call.target.namespace)
  const object = await action(await effectRequest(call, input, options), call.tools)
  // Most actions answer with a Status, which has no fields of the input.
  if (object.kind === gvk.kind)
    await recordManager(call, { input, schema, manager: managerOf(call.request.userAgent, options.fieldManager) }, object)
  return { kind: 'object', code: 201, object: kindFirst(object) }
}

interface Authored {
  readonly input: KubeObject
  readonly schema: Schema
  readonly manager: string
}

/** Records in the answer which fields of the input its author has set. */
async function recordManager(call: Call, { input, schema, manager }: Authored, answer: KubeObject): Promise<void> {
  const { apiVersion, kind } = input
  const { subresource } = call.target
  const now = timestamp(call.deps.clock.now())
  const updated = asGiven(input, input.metadata)
  const managedFields = await promptly(trackUpdateSteps({ apiVersion, kind, schema, subresource, now, manager, live: undefined, updated }))
  if (managedFields !== undefined && managedFields.length > 0) answer.metadata.managedFields = managedFields
}
