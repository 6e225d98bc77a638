import { andThen, type Later } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { applyDefaults } from '../../machinery/resource/apply-defaults.ts'
import type { RequestAudit } from '../request/request-audit.ts'
import { convert, workingApiVersion } from '../store/conversion.ts'
import { effectiveRules } from '../store/effective-rules.ts'
import { fillNamespace, wipeSystemFields } from '../store/object-meta.ts'
import { requestVersion } from '../store/write.ts'
import { inputEncoding } from './body/media-type.ts'
import { receive } from './body/receive.ts'
import type { Call, HandlerResult } from './call.ts'
import { type WriteOptions, writeOptions } from './options.ts'
import { review } from './review.ts'
import { answerOf, writeOf } from './write-of.ts'

/** POST on a collection. */
export async function create(call: Call): Promise<HandlerResult> {
  checkMediaType(call)
  const options = writeOptions('CreateOptions', call.request.query, undefined)
  const draft = await received(call, options)
  const { definition } = call.served
  wipeSystemFields(draft)
  fillNamespace(draft, definition.scope === 'Namespaced', call.target.namespace)
  if (definition.review !== undefined) return review(call, definition.review, draft, options)
  return answerOf(await call.deps.store.create(writeOf(call, options), draft))
}

/** At a create the media type of the body is looked at before the options. Throws 415. */
function checkMediaType({ request: { body, query }, served: { definition } }: Call): void {
  if (body.kind !== 'bytes') return
  inputEncoding(body.contentType, definition.customDefinition === undefined || query.get('fieldValidation') === 'Ignore')
}

/** The body in the working version, with defaults. */
export function received(call: Call, options: WriteOptions): Later<KubeObject> {
  const { definition, version } = call.served
  const gvk = { group: definition.group, version: version.version, kind: definition.names.kind }
  const expected = { gvk, schema: version.schema(), custom: definition.customDefinition !== undefined, decode: version.decode }
  return andThen(receive(call, expected, options.fieldValidation), (object) => worked(call, object))
}

/** Converts an object to the working version. */
function worked(call: Call, object: KubeObject): Later<KubeObject> {
  const { definition, version } = call.served
  const working = workingApiVersion(call.deps.definitions, definition, version.version)
  return andThen(convert(definition, object, working), (converted) => defaulted(call, converted))
}

function defaulted(call: Call, working: KubeObject): Later<KubeObject> {
  // A status path uses the defaults of the whole resource, because the audit log shows the whole object.
  const rules = call.subresource?.kind === 'status' ? call.served.definition.rules : effectiveRules(call)
  return andThen(applyDefaults(rules, working), () =>
    call.request.audit === undefined ? working : noteObject(call, call.request.audit, working),
  )
}

/** Records the object as sent in the audit log, before anything changes it. */
async function noteObject(call: Call, audit: RequestAudit, working: KubeObject): Promise<KubeObject> {
  audit.object(audit.keepsRequest ? await convert(call.served.definition, working, requestVersion(call)) : working)
  return working
}
