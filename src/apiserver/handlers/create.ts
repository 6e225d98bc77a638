import type { KubeObject } from '../../machinery/object.ts'
import { convert, workingApiVersion } from '../store/conversion.ts'
import { effectiveRules } from '../store/effective-rules.ts'
import { dedupOwners, settleNamespace, wipeSystemFields } from '../store/object-meta.ts'
import { requestVersion } from '../store/write.ts'
import { receive } from './body/receive.ts'
import type { Answer, Call } from './call.ts'
import { type WriteOptions, writeOptions } from './request/options.ts'
import { review } from './review.ts'
import { answerOf, writeOf } from './write-of.ts'

/** POST on a collection. */
export async function create(call: Call): Promise<Answer> {
  const options = writeOptions('CreateOptions', call.query, undefined)
  const draft = await received(call, options)
  const { definition } = call.served
  wipeSystemFields(draft)
  settleNamespace(draft, definition.scope === 'Namespaced', call.target.namespace)
  if (definition.review !== undefined) return review(call, definition.review, draft, options)
  dedupOwners(call, draft)
  return answerOf(await call.deps.store.create(writeOf(call, options), draft))
}

/** The body in the working version, with defaults. */
export async function received(call: Call, options: WriteOptions): Promise<KubeObject> {
  const { definition, version } = call.served
  const gvk = { group: definition.group, version: version.version, kind: definition.names.kind }
  const expected = { gvk, schema: version.schema(), custom: definition.customDefinition !== undefined, decode: version.decode }
  const object = await receive(call, expected, options.fieldValidation)
  const working = await convert(definition, object, workingApiVersion(call.deps.definitions, definition, version.version))
  // Whatever path it comes by: the audit log shows the whole.
  const { defaults } = call.subresource?.kind === 'status' ? definition.rules : effectiveRules(call)
  defaults?.(working)
  await noteObject(call, working)
  return working
}

/** Tells the audit log what was sent, before anybody changes it. */
async function noteObject(call: Call, working: KubeObject): Promise<void> {
  const { audit } = call
  if (audit === undefined) return
  audit.object(audit.keepsRequest ? await convert(call.served.definition, working, requestVersion(call)) : working)
}
