import type { KubeObject } from '../../machinery/object.ts'
import { cloneDecoded } from '../../machinery/schema/given-empty.ts'
import { badRequest, staleWrite } from '../../machinery/status-error.ts'
import { mustBeAllowed, resourceAttributes } from '../identity/authorizer.ts'
import { effectiveRules } from '../store/effective-rules.ts'
import { fillNamespace } from '../store/object-meta.ts'
import { groupResource } from '../store/write.ts'
import type { Call, HandlerResult } from './call.ts'
import { received } from './create.ts'
import { writeOptions } from './options.ts'
import { answerOf, writeOf } from './write-of.ts'

/** PUT on an object or its status. */
export async function update(call: Call): Promise<HandlerResult> {
  const options = writeOptions('UpdateOptions', call.request.query, undefined)
  const draft = await received(call, options)
  fillNamespace(draft, call.served.definition.scope === 'Namespaced', call.target.namespace)
  checkName(call, draft)
  // A write on condition of a revision is not retried: the object after another write is not the one that was meant.
  const { resourceVersion = '' } = draft.metadata
  const pinned = !['', '0'].includes(resourceVersion)
  const outcome = await call.deps.store.update(writeOf(call, options), {
    draft: pinned ? onlyOnce(draft, () => staleWrite(groupResource(call), call.target.name)) : () => cloneDecoded(draft),
    uid: draft.metadata.uid,
    revision: pinned ? resourceVersion : undefined,
    create: createsByUpdate(call) ? () => mayCreate(call) : undefined,
  })
  return answerOf(outcome)
}

/** Whether a PUT creates a missing object. The status path of services does, too. */
export const createsByUpdate = (call: Call): boolean =>
  (call.subresource === undefined || call.subresource.kind === 'status') && effectiveRules(call).allowCreateOnUpdate === true

/** Returns the value at the first call and throws at later ones. */
function onlyOnce<T>(value: T, error: () => Error): () => T {
  let given = false
  return () => {
    if (given) throw error()
    given = true
    return value
  }
}

/** Checks that the user may create, since permission to update does not include it. */
export function mayCreate({ deps, target, request }: Call): Promise<void> {
  return mustBeAllowed(deps.authorizer, resourceAttributes({ ...target, user: request.user, verb: 'create' }))
}

/** The name in the body must be the name in the path. */
export function checkName({ target: { name } }: Call, draft: KubeObject): void {
  const own = draft.metadata.name ?? ''
  if (own === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`)
}
