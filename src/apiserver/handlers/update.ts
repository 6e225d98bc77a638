import type { KubeObject } from '../../machinery/object.ts'
import { cloneDecoded } from '../../machinery/schema/given-empty.ts'
import { badRequest } from '../../machinery/status-error.ts'
import { mustBeAllowed, resourceAttributes } from '../identity/authorizer.ts'
import { effectiveRules } from '../store/effective-rules.ts'
import { settleNamespace } from '../store/object-meta.ts'
import type { Answer, Call } from './call.ts'
import { received } from './create.ts'
import { writeOptions } from './request/options.ts'
import { answerOf, writeOf } from './write-of.ts'

/** PUT on an object or its status. */
export async function update(call: Call): Promise<Answer> {
  const options = writeOptions('UpdateOptions', call.query, undefined)
  const draft = await received(call, options)
  settleNamespace(draft, call.served.definition.scope === 'Namespaced', call.target.namespace)
  checkName(call, draft)
  const creates = call.subresource === undefined && effectiveRules(call).allowCreateOnUpdate === true
  const outcome = await call.deps.store.update(writeOf(call, options), {
    draft: () => cloneDecoded(draft),
    uid: draft.metadata.uid,
    create: creates ? () => mayCreate(call) : undefined,
  })
  return answerOf(outcome)
}

/** Who may update need not be allowed to create. */
export function mayCreate({ deps, target, user }: Call): Promise<void> {
  return mustBeAllowed(deps.authorizer, resourceAttributes({ ...target, user, verb: 'create' }))
}

/** The object in the body must be the one in the path. */
export function checkName({ target: { name } }: Call, draft: KubeObject): void {
  const own = draft.metadata.name ?? ''
  if (own === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`)
}
