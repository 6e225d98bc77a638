import { asKubeObject, type KubeObject } from '../../../machinery/object.ts'
import { convert } from '../../store/conversion.ts'
import type { Deleted } from '../../store/outcome.ts'
import { requestVersion, type Write } from '../../store/write.ts'
import type { Call, HandlerResult } from '../call.ts'
import { type DeleteRequest, deleteOptions, deleteOptionsOfQuery } from '../options.ts'
import { untrackedWriteOf } from '../write-of.ts'
import { receiveDeleteOptions } from './delete-body.ts'
import { removeUnreadable } from './remove-unreadable.ts'

/** DELETE of one object. */
export async function remove(call: Call): Promise<HandlerResult> {
  const body = await receiveDeleteOptions(call)
  const { gates } = call.deps
  const options = body === undefined ? deleteOptionsOfQuery(call.request.query, gates) : deleteOptions(body, gates)
  if (options.unreadable) return removeUnreadable(call)
  warnOfOrphans(call, options)
  await call.deps.store.consistent(call.served.definition)
  const outcome = await call.deps.store.delete(deletion(call, options), options)
  return { kind: 'object', code: outcome.gone || !waits(options) ? 200 : 202, object: await shown(call, outcome) }
}

/** The write of a delete request. */
export const deletion = (call: Call, options: DeleteRequest): Write =>
  untrackedWriteOf(call, { dryRun: options.dryRun, options: options.object })

/** A delete with the old option `orphanDependents: false` is answered with 202. */
const waits = (o: DeleteRequest) => o.orphanDependents === false

/** Warns that the delete leaves dependents behind, for kinds that do so by default. */
export function warnOfOrphans(call: Call, options: DeleteRequest): void {
  const warning = call.served.definition.rules.deleteWarning
  if (warning !== undefined && options.propagationPolicy === undefined && options.orphanDependents === undefined) call.request.warn(warning)
}

async function shown(call: Call, { object, gone }: Deleted): Promise<KubeObject> {
  const { definition } = call.served
  if (!gone || definition.rules.returnsDeleted === true) return convert(definition, object, requestVersion(call))
  const details = {
    name: call.target.name,
    ...(definition.group !== '' && { group: definition.group }),
    kind: definition.names.plural,
    uid: object.metadata.uid,
  }
  return asKubeObject({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details })
}
