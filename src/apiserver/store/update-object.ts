import type { Later } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { notFound, StatusError } from '../../machinery/status-error.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { convert, workingApiVersion } from './conversion.ts'
import { createObject } from './create-object.ts'
import { etcdKey } from './etcd-key.ts'
import { find } from './find.ts'
import type { Outcome } from './outcome.ts'
import { checkRevision } from './revision.ts'
import { canonicalize } from './stages/canonicalize.ts'
import { check } from './stages/check.ts'
import { commitChange } from './stages/commit-change.ts'
import { fit } from './stages/fit.ts'
import { matchRevision } from './stages/match-revision.ts'
import { mutate } from './stages/mutate.ts'
import { normalize } from './stages/normalize.ts'
import { prepareForUpdate } from './stages/prepare.ts'
import { record } from './stages/record.ts'
import { runStages, type Stages } from './stages/run-stages.ts'
import { shareWithOld } from './stages/share.ts'
import { validate } from './stages/validate.ts'
import { type UpdateWork, updateWork } from './stages/work.ts'
import { uidPrecondition } from './uid-precondition.ts'
import { groupResource, keyOf, type StoreDeps, type Write } from './write.ts'

/** The stages of an update. */
const UPDATE: Stages<UpdateWork> = [
  fit,
  record,
  mutate,
  matchRevision,
  prepareForUpdate,
  shareWithOld,
  check,
  canonicalize,
  validate,
  normalize,
  commitChange,
]

/** How an update obtains its new state. */
export interface Change {
  /** Makes a draft in the working version from the stored object (undefined if there is none). Called again after a conflict. */
  draft(old: KubeObject | undefined): Later<KubeObject>
  /** The expected uid; 409 if the stored object has another. */
  readonly uid?: string | undefined
  /** The draft is one for this `resourceVersion` alone, and made only once. */
  readonly revision?: string | undefined
  /** If set, a missing object is created after this has resolved (permission to update does not include creating). */
  readonly create?: (() => Promise<void>) | undefined
  /** The managed fields are final. */
  readonly tracked?: boolean
}

/** Applies a change to a stored object; retries after conflicts. */
export async function updateObject(deps: StoreDeps, write: Write, change: Change): Promise<Outcome> {
  const early = write.dryRun ? undefined : await attemptEarly(deps, write, change)
  if (early?.kind === 'done') return early.outcome
  await deps.watchCache.consistent(write.served.definition)
  for (;;) {
    const item = find(deps.watchCache, write)
    if (item === undefined) {
      if (change.create === undefined) throw notFound(groupResource(write), write.place.name)
      return createMissing(deps, write, change, change.create)
    }
    // What was found out on this very state holds.
    if (early?.kind === 'unchanged' && early.outcome.item.revision === item.revision) return early.outcome
    if (early?.kind === 'refused' && early.revision === item.revision) throw early.error
    const outcome = await attempt(deps, write, change, item)
    if (outcome !== undefined) return outcome
    if (write.request.signal.aborted) throw write.request.signal.reason
  }
}

/** The result of an attempt on a state that may be old. */
type Early =
  | { readonly kind: 'done'; readonly outcome: Outcome }
  | { readonly kind: 'unchanged'; readonly outcome: Outcome & { readonly kind: 'item' } }
  | { readonly kind: 'refused'; readonly error: StatusError; readonly revision: number }

/**
 * An attempt on the state that the cache has, without asking the store for the latest one: the store itself refuses a change of an older
 * state. What changes nothing or is refused says nothing about the latest state. Undefined: there is no state, or it was an older one.
 */
async function attemptEarly(deps: StoreDeps, write: Write, change: Change): Promise<Early | undefined> {
  const { definition } = write.served
  const item = deps.watchCache.of(definition).get(keyOf(definition, write.place.namespace, write.place.name))
  if (item === undefined || (change.revision !== undefined && change.revision !== String(item.revision))) return undefined
  try {
    const outcome = await attempt(deps, write, change, item)
    if (outcome?.kind === 'item' && outcome.item.revision === item.revision) return { kind: 'unchanged', outcome }
    return outcome && { kind: 'done', outcome }
  } catch (error) {
    // A failure of the server or its store: the change may even have been made.
    if (!(error instanceof StatusError) || error.code >= 500) throw error
    return { kind: 'refused', error, revision: item.revision }
  }
}

async function createMissing(deps: StoreDeps, write: Write, change: Change, mayCreate: () => Promise<void>): Promise<Outcome> {
  await mayCreate()
  const draft = await change.draft(undefined)
  if (change.uid) throw uidConflict(write, change.uid, '')
  // Any number will do, and only a dry run shows it.
  checkRevision(draft.metadata.resourceVersion || '0')
  if (!write.dryRun) delete draft.metadata.resourceVersion
  return createObject(deps, write, draft, { tracked: change.tracked === true })
}

/** One attempt. Undefined: the object was changed meanwhile. */
async function attempt(deps: StoreDeps, write: Write, change: Change, item: StoredObject): Promise<Outcome | undefined> {
  const { definition, version } = write.served
  const standing = convert(definition, item.object, workingApiVersion(deps.definitions, definition, version.version))
  const old = standing instanceof Promise ? await standing : standing
  if (change.uid && change.uid !== old.metadata.uid) throw uidConflict(write, change.uid, old.metadata.uid ?? '')
  const drafted = change.draft(old)
  const draft = drafted instanceof Promise ? await drafted : drafted
  const work = updateWork(deps, write, { draft, tracked: change.tracked === true, old, item })
  await runStages(UPDATE, work)
  return work.outcome
}

function uidConflict(write: Write, given: string, standing: string): StatusError {
  const { namespace, name } = write.place
  const key = etcdKey(write.served.definition, namespace, name, { dryRun: write.dryRun })
  return uidPrecondition(groupResource(write), name, { key, given, standing })
}
