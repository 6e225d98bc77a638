import { promptly } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ReviewHandler } from '../../machinery/resource/definition.ts'
import { notImplemented } from '../../machinery/status-error.ts'
import { orderedMeta } from '../cache/object-bytes.ts'
import type { EffectRequest } from '../extension-points.ts'
import { AdmissionOfWrite } from '../store/admission-of-write.ts'
import { runMutating, runValidating } from '../store/admit.ts'
import { record } from '../store/stages/record.ts'
import { keyOf } from '../store/write.ts'
import type { Call, HandlerResult } from './call.ts'
import type { WriteOptions } from './options.ts'
import { writeOf } from './write-of.ts'

/** A create that stores nothing: the review of the server's table computes the response. */
export async function review(call: Call, handler: ReviewHandler, input: KubeObject, options: WriteOptions): Promise<HandlerResult> {
  const answer = call.deps.reviews[handler.review]
  if (answer === undefined) throw notImplemented(handler.review)
  await promptly(record({ deps: call.deps, write: writeOf(call, options), draft: input, old: undefined, tracked: false }))
  const object = await answer(await effectRequest(call, input, options), call.tools)
  return { kind: 'object', code: 201, object: kindFirst(object) }
}

/** In the order in which Go writes an object; a client may have sent another one. */
export function kindFirst({ kind, apiVersion, metadata, ...others }: KubeObject): KubeObject {
  return { kind, apiVersion, metadata: orderedMeta(metadata), ...others }
}

/** Runs mutating admission on the input, and builds the request for actions and reviews. */
export async function effectRequest(call: Call, input: KubeObject, options: WriteOptions): Promise<EffectRequest> {
  const write = writeOf(call, options)
  const name = call.target.name || (input.metadata.name ?? '')
  const admission = new AdmissionOfWrite(write, { operation: 'CREATE', name, object: input })
  await runMutating(admission)
  const admitted = admission.object ?? input
  return {
    definition: call.served.definition,
    version: call.served.version,
    namespace: call.target.namespace,
    name: call.target.name,
    subresource: call.target.subresource,
    input: admitted,
    user: call.request.user,
    dryRun: options.dryRun,
    warn: (text) => call.request.warn(text),
    annotate: (key, value) => call.request.annotate(key, value),
    stored: ({ metadata }) =>
      call.request.trail?.stored(keyOf(call.served.definition, call.target.namespace, name), Number(metadata.resourceVersion)),
    admit: async () => runValidating(admission),
  }
}
