import type { CacheEvent } from '../../apiserver/cache/cache-event.ts'
import type { StoredObject } from '../../apiserver/cache/stored-object.ts'
import type { RecordedTrail } from '../../apiserver/trail/recorded-trail.ts'
import { valueChanges } from '../../machinery/json/value-changes.ts'
import type { ObjectRevision } from '../../resources/bowsprit/field-history.ts'
import { fieldManagerOf } from './trail-object.ts'

/** Changes of one object that are shown. */
export const MOST_REVISIONS = 100
/** Fields of one change, and characters of one value. */
const LIMITS = { most: 64, mostText: 512 }
/** Larger states are not compared: it would take a long turn of the event loop. */
const MOST_BYTES = 64 * 1024

interface ShownRevisions {
  /** The reader may get the object. */
  readonly open: boolean
  /** Values are shown, and not paths alone. */
  readonly values: boolean
}

/** The changes of an object, the latest first: what the cache has of it, and what was recorded of requests. */
export function objectRevisions(
  events: readonly CacheEvent[],
  trails: readonly RecordedTrail[],
  shown: ShownRevisions,
): readonly ObjectRevision[] {
  const requests = new Map<number, RecordedTrail>()
  // A request that changed nothing has the revision that was there.
  for (const trail of trails)
    if (trail.storedRevision !== undefined && !requests.has(trail.storedRevision)) requests.set(trail.storedRevision, trail)
  const known = new Map(events.map((event) => [event.revision, event]))
  const revisions = [...new Set([...known.keys(), ...requests.keys()])].sort((a, b) => b - a).slice(0, MOST_REVISIONS)
  return revisions.map((revision) => {
    const [event, trail] = [known.get(revision), requests.get(revision)]
    return {
      revision: String(revision),
      change: event === undefined ? 'unknown' : changeOf(event),
      ...(trail && requestOf(trail)),
      ...(event && shown.open && fieldsOf(event, shown)),
    }
  })
}

const changeOf = ({ kind, previous }: CacheEvent): ObjectRevision['change'] =>
  kind === 'delete' ? 'deleted' : previous === undefined ? 'created' : 'changed'

function requestOf(trail: RecordedTrail) {
  const { verb, target } = trail.info
  const fieldManager = fieldManagerOf(trail)
  return {
    requestTrail: trail.name,
    time: new Date(trail.receivedAt).toISOString(),
    user: trail.user?.name ?? '',
    verb,
    ...(target !== undefined && target.subresource !== '' && { subresource: target.subresource }),
    ...(fieldManager !== undefined && { fieldManager }),
  }
}

function fieldsOf({ kind, item, previous }: CacheEvent, { values }: ShownRevisions): Pick<ObjectRevision, 'fields' | 'unlisted'> {
  if (kind === 'delete' || item.sizeBytes > MOST_BYTES || (previous?.sizeBytes ?? 0) > MOST_BYTES) return {}
  const { changes, unlisted } = valueChanges(previous === undefined ? {} : fieldsIn(previous), fieldsIn(item), LIMITS)
  return { fields: values ? changes : changes.map(({ path }) => ({ path })), ...(unlisted > 0 && { unlisted }) }
}

/** The object without what changes with each write. */
function fieldsIn({ object }: StoredObject) {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata
  return { ...object, metadata }
}
