import { changesOnlyTimes } from '../../../machinery/managed-fields/timestamps.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { convert, storageApiVersion, toStored } from '../conversion.ts'
import type { Outcome } from '../outcome.ts'
import { requestVersion } from '../write.ts'
import type { UpdateWork } from './work.ts'

/** Stores a changed object if the old state is still the stored one. */
export async function commitChange(work: UpdateWork): Promise<void> {
  const { write, rules, draft, old } = work
  if (write.dryRun) work.outcome = await dryRun(work)
  else if (isReleased(draft, old) && (rules.deletesOnUpdate?.(draft, old) ?? true)) work.outcome = await remove(work)
  else work.outcome = await put(work)
}

/** The object as it would be read back: fields that the storage version lacks are lost. */
async function dryRun({ deps, write, draft }: UpdateWork): Promise<Outcome> {
  const { definition } = write.served
  const stored = await toStored(deps.definitions, definition, draft)
  return { kind: 'object', created: false, object: await convert(definition, stored.object, requestVersion(write)) }
}

async function remove({ deps, write, rules, draft, item, context }: UpdateWork): Promise<Outcome | undefined> {
  const { definition } = write.served
  const gone = await deps.watchCache.remove(definition, item)
  if (gone.kind === 'conflict') return undefined
  await rules.afterDelete?.(item.object, context)
  return { kind: 'object', created: false, object: await convert(definition, draft, requestVersion(write)) }
}

async function put({ deps, write, rules, draft, old, item, context }: UpdateWork): Promise<Outcome | undefined> {
  const { definition } = write.served
  const storedAs = storageApiVersion(deps.definitions, definition)
  // An object that is stored in an older version is migrated by its next write, even one without a change.
  if (item.object.apiVersion === storedAs && changesOnlyTimes(draft, old)) return refresh({ deps, write, item })
  const reserved = rules.reserve && (await rules.reserve(draft, old, context))
  try {
    const converted = toStored(deps.definitions, definition, draft)
    const stored = await converted
    const written = await deps.watchCache.put(definition, item.key, stored, item)
    if (written.kind !== 'conflict') {
      if (reserved?.done !== undefined) await reserved.done()
      return { kind: 'item', created: false, item: written.item }
    }
  } catch (error) {
    await reserved?.undo()
    throw error
  }
  await reserved?.undo()
  return undefined
}

/** An update without a change. */
async function refresh({ deps, write, item }: Pick<UpdateWork, 'deps' | 'write' | 'item'>): Promise<Outcome | undefined> {
  const written = await deps.watchCache.refresh(write.served.definition, item)
  return written.kind === 'conflict' ? undefined : { kind: 'item', created: false, item: written.item }
}

/** True if the last finalizer of an object that is being deleted was removed. */
function isReleased(draft: KubeObject, old: KubeObject): boolean {
  if (old.metadata.deletionTimestamp === undefined || (draft.metadata.finalizers ?? []).length > 0) return false
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0
}
