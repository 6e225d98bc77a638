import { asKubeObject, type KubeObject } from '../../machinery/object.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { conflict, type GroupResource } from '../../machinery/status-error.ts'
import { type StoredObject, underRevision } from '../cache/stored-object.ts'
import { AdmissionOfWrite } from './admission-of-write.ts'
import { runMutating, runValidating } from './admit.ts'
import { convert } from './conversion.ts'
import { found } from './find.ts'
import type { Deleted } from './outcome.ts'
import { type DeleteOptions, type DeletePlan, planDelete } from './plan-delete.ts'
import { requestVersion, rulesContext, type StoreDeps, type Write } from './write.ts'
import { zeroObject } from './zero-object.ts'

/** Deletes the addressed object, or marks it as being deleted; retries if another write came in between. */
export async function deleteObject(deps: StoreDeps, write: Write, options: DeleteOptions): Promise<Deleted> {
  const { definition } = write.served
  for (;;) {
    const item = found(deps.watchCache, write)
    checkDeletePreconditions(
      { group: (definition.storedAs ?? definition).group, resource: definition.names.kind },
      item.object,
      options.preconditions,
    )
    const oldObject = await convert(definition, item.object, requestVersion(write))
    const name = write.ofCollection === true ? '' : write.place.name
    const admission = new AdmissionOfWrite(write, { operation: 'DELETE', name, oldObject })
    await runMutating(admission)
    await runValidating(admission)
    const outcome = await carryOut(deps, write, options, item)
    if (outcome !== undefined) return outcome
    if (write.request.signal.aborted) throw write.request.signal.reason
  }
}

/** 409 if the object does not match the preconditions of the delete. */
export function checkDeletePreconditions(
  about: GroupResource,
  { metadata }: KubeObject,
  preconditions: DeleteOptions['preconditions'],
): void {
  if (preconditions === undefined) return
  const name = metadata.name ?? ''
  const { uid, resourceVersion } = preconditions
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    throw conflict(about, name, why)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    throw conflict(about, name, why)
  }
}

async function carryOut(deps: StoreDeps, write: Write, options: DeleteOptions, item: StoredObject): Promise<Deleted | undefined> {
  const { definition } = write.served
  const context = rulesContext(deps, write)
  const plan = planDelete(item.object, options, definition.rules, context)
  if (plan.kind === 'pending') return { object: item.object, gone: false }
  if (write.dryRun) return dryRun(write, plan, item.object)
  if (plan.kind === 'delete') return deleteNow(deps, write, item, context)
  const marked = await deps.watchCache.put(definition, item.key, { object: plan.draft }, item)
  if (marked.kind === 'conflict') return undefined
  write.request.trail?.stored(item.key, marked.item.revision)
  if (!plan.thenDelete) return { object: marked.item.object, gone: false }
  return deleteNow(deps, write, marked.item, context)
}

/** Without finalizers that the object had, Kubernetes shows an empty object: its update ends before it has a result. */
function dryRun(write: Write, plan: Exclude<DeletePlan, { kind: 'pending' }>, object: KubeObject): Deleted {
  if (plan.kind === 'mark') return { object: plan.draft, gone: plan.thenDelete }
  if ((object.metadata.finalizers ?? []).length === 0) return { object, gone: true }
  return { object: asKubeObject(zeroObject(write.served, requestVersion(write))), gone: false }
}

async function deleteNow(deps: StoreDeps, write: Write, item: StoredObject, context: RulesContext): Promise<Deleted | undefined> {
  const { definition } = write.served
  // Read it first: the cache drops the decoded form of past states.
  const { object } = item
  const gone = await deps.watchCache.remove(definition, item)
  if (gone.kind === 'conflict') return undefined
  write.request.trail?.stored(item.key, gone.revision)
  await definition.rules.afterDelete?.(object, context)
  return { object: underRevision(object, gone.revision), gone: true }
}
