import type { KubeObject } from '../../../machinery/object.ts'
import type { ResourceRules } from '../../../machinery/resource/definition.ts'
import { alreadyExists, generateNameConflict, StatusError } from '../../../machinery/status-error.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import { convert, toStored } from '../conversion.ts'
import { generatedName } from '../object-meta.ts'
import { parseRevision } from '../revision.ts'
import { groupResource, keyOf, requestVersion, type Write } from '../write.ts'
import type { CreateWork } from './work.ts'

/** Attempts with generated names, as in Kubernetes. */
const NAME_TRIES = 8
/** Larger objects are not kept as templates for the next one. */
const LARGEST_LIKE_BYTES = 64 * 1024

/** Stores a new object, unless its name is taken. */
export function commitNew(work: CreateWork): Promise<void> {
  const { write, draft, rules } = work
  // The storage checks this, so a dry run does not; what is no number counts as none.
  const revision = parseRevision(draft.metadata.resourceVersion || '0')
  if (!write.dryRun && typeof revision === 'number' && revision > 0) {
    throw new StatusError({ code: 500, message: 'resourceVersion should not be set on objects to be created' })
  }
  return rules.reserve === undefined ? put(work) : reserveAndPut(work, rules.reserve)
}

async function reserveAndPut(work: CreateWork, reserve: NonNullable<ResourceRules['reserve']>): Promise<void> {
  const { write, draft, context } = work
  const reserved = await reserve(draft, undefined, context)
  try {
    await put(work)
    if (write.dryRun) await reserved?.undo()
    else if (reserved?.done !== undefined) await reserved.done()
  } catch (error) {
    if (!write.dryRun) await reserved?.undo()
    throw error
  }
}

/** Stores the object; a generated name that is taken is drawn again. */
async function put(work: CreateWork): Promise<void> {
  const { deps, write, draft, generated } = work
  const { definition } = write.served
  const { watchCache, definitions } = deps
  for (let tries = 1; ; tries++) {
    const key = keyOf(definition, write.place.namespace, draft.metadata.name ?? '')
    const present = watchCache.of(definition).get(key)
    if (present === undefined) {
      // A dry run, too, returns the object as it would be read back: fields that the storage version lacks are lost.
      const converted = toStored(definitions, definition, draft)
      const stored = await converted
      if (write.dryRun) {
        work.outcome = { kind: 'object', created: true, object: await convert(definition, stored.object, requestVersion(write)) }
        return
      }
      const written = await watchCache.put(definition, key, stored, undefined)
      if (written.kind !== 'conflict') return conclude(work, written.item)
    }
    if (!generated || tries === NAME_TRIES) throw exists(write, draft, present)
    draft.metadata.name = generatedName(deps, draft.metadata.generateName ?? '')
  }
}

function conclude(work: CreateWork, item: StoredObject): void {
  work.outcome = { kind: 'item', created: true, item }
  if (item.sizeBytes <= LARGEST_LIKE_BYTES) work.deps.lately.note(work.write.served.definition, item.object)
}

function exists(write: Write, { metadata }: KubeObject, present: StoredObject | undefined): StatusError {
  const { name = '', generateName } = metadata
  // The name is the storage's, which two groups may share.
  const stored = write.served.definition.storedAs ?? groupResource(write)
  const error = generateName ? generateNameConflict(stored, name) : alreadyExists(groupResource(write), name)
  if (present?.object.metadata.deletionTimestamp === undefined) return error
  return new StatusError({ ...error.status, reason: 'AlreadyExists', message: `object is being deleted: ${error.message}` })
}
