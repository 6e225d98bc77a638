import { asKubeObject } from '../../../machinery/object.ts'
import { forbiddenStatus, invalidObject } from '../../../machinery/status-error.ts'
import { resourceAttributes } from '../../identity/authorizer.ts'
import { groupResource } from '../../store/write.ts'
import type { Call, HandlerResult } from '../call.ts'
import { unsafeFault } from '../options.ts'

/** The verb that this needs beside `delete`. */
const VERB = 'unsafe-delete-ignore-read-errors'

/**
 * DELETE of an object that the store cannot read (KEP-3926). Nothing is known of it: there are no preconditions and finalizers, no
 * admission, and no rules of its kind.
 */
export async function removeUnreadable(call: Call): Promise<HandlerResult> {
  const { served, target, deps, request } = call
  request.audit?.annotate('apiserver.k8s.io/unsafe-delete-ignore-read-error', '')
  await mayDelete(call)
  await deps.store.consistent(served.definition)
  if (!(await deps.store.deleteUnreadable(served.definition, target))) {
    const { group, resource } = groupResource(call)
    throw invalidObject({ group, kind: resource }, target.name, [
      unsafeFault('is exclusively used to delete corrupt object(s), try again by removing this option'),
    ])
  }
  const details = { name: target.name, kind: served.definition.names.kind }
  return { kind: 'object', code: 200, object: asKubeObject({ ...SUCCESS, details, code: 200 }) }
}

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }

async function mayDelete(call: Call): Promise<void> {
  const { target, deps, request } = call
  const { verdict, reason } = await deps.authorizer.authorize(resourceAttributes({ ...target, user: request.user, verb: VERB }))
  if (verdict !== 'allow') throw forbiddenStatus(groupResource(call), target.name, `not permitted to do "${VERB}", reason: ${reason}`)
}
