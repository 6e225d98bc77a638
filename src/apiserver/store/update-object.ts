import { inTurns } from '../../base/steps.ts'
import { giveTurn } from '../../base/turns.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'
import { changesOnlyTimes } from '../../machinery/managed-fields/timestamps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRules, RulesContext } from '../../machinery/resource/definition.ts'
import { invalidObject, notFound, StatusError, staleWrite } from '../../machinery/status-error.ts'
import { validateUpdatedMeta } from '../../machinery/validation/object-meta.ts'
import { isHeavy, isHeavyBeside } from '../../machinery/weight.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { mutate, validate } from './admit.ts'
import { convert, storageApiVersion, workingApiVersion } from './conversion.ts'
import { createObject } from './create-object.ts'
import { countGeneration, effectiveRules, keepForeignFields } from './effective-rules.ts'
import { etcdKey } from './etcd-key.ts'
import { find } from './find.ts'
import { recordWrite } from './managers.ts'
import { normalForm, normalFormInSteps } from './normal-form.ts'
import { builtinFinalizers, dedupOwners, settleNamespace } from './object-meta.ts'
import type { Outcome } from './outcome.ts'
import { parseRevision } from './revision.ts'
import { isReadOnlyFromHere, withPartsOf } from './shared-parts.ts'
import { uidPrecondition } from './uid-precondition.ts'
import { groupKind, groupResource, requestVersion, rulesContext, type StoreDeps, type Write } from './write.ts'

/** How an update comes to its new state. */
export interface Change {
  /** A fresh draft in the working version, made from what is stored now (undefined: nothing). Asked again when somebody else wrote meanwhile. */
  draft(old: KubeObject | undefined): KubeObject | Promise<KubeObject>
  /** The object that is meant; 409 when another one stands there. */
  readonly uid?: string | undefined
  /** Set: a missing object is created, after this has resolved (who may update need not be allowed to create). */
  readonly create?: (() => Promise<void>) | undefined
  /** The draft's managed fields are right already. */
  readonly tracked?: boolean
}

/** Carries a change to the cache; begins anew when somebody else wrote in between. */
export async function updateObject(deps: StoreDeps, write: Write, change: Change): Promise<Outcome> {
  await deps.watchCache.consistent()
  for (;;) {
    const item = find(deps.watchCache, write)
    if (item === undefined) {
      if (change.create === undefined) throw notFound(groupResource(write), write.place.name)
      return createMissing(deps, write, change, change.create)
    }
    const outcome = await attempt(deps, write, change, item)
    if (outcome !== undefined) return outcome
    if (write.request.signal.aborted) throw write.request.signal.reason
  }
}

async function createMissing(deps: StoreDeps, write: Write, change: Change, mayCreate: () => Promise<void>): Promise<Outcome> {
  await mayCreate()
  const draft = await change.draft(undefined)
  if (change.uid) throw uidConflict(write, change.uid, '')
  if (!['', '0'].includes(draft.metadata.resourceVersion ?? '')) throw staleWrite(groupResource(write), write.place.name)
  delete draft.metadata.resourceVersion
  return createObject(deps, write, draft, { tracked: change.tracked === true })
}

/** A stored object that is light, whatever it holds. */
const LIGHT_BYTES = 16_384

/** One try. Undefined: the object was changed meanwhile. */
async function attempt(deps: StoreDeps, write: Write, change: Change, item: StoredObject): Promise<Outcome | undefined> {
  const { definition, version } = write.served
  const standing = convert(definition, item.object, workingApiVersion(deps.definitions, definition, version.version))
  const old = standing instanceof Promise ? await standing : standing
  if (change.uid && change.uid !== old.metadata.uid) throw uidConflict(write, change.uid, old.metadata.uid ?? '')
  const drafted = change.draft(old)
  const proposed = drafted instanceof Promise ? await drafted : drafted
  // Of what is large each stage has a turn of its own.
  const heavy = item.sizeBytes > LIGHT_BYTES ? isHeavy(proposed) : isHeavyBeside(proposed, old)
  if (heavy) await giveTurn()
  dedupOwners(write, proposed)
  const recorded = change.tracked === true ? undefined : recordWrite(deps, write, { draft: proposed, live: old, heavy })
  if (recorded !== undefined) await recorded
  if (heavy) await giveTurn()
  const subject = { operation: 'UPDATE', oldObject: old, name: write.place.name } as const
  const mutated = mutate(write, { ...subject, object: proposed })
  const draft = (mutated instanceof Promise ? await mutated : mutated) ?? proposed
  dedupOwners(write, draft)
  const rules = effectiveRules(write)
  checkRevision(write, rules, draft, old)
  const context = rulesContext(deps, write)
  prepare(write, rules, { draft, old, context })
  if (heavy) await giveTurn()
  // From here on nobody changes the draft, but for kinds with a normal form of their own: what it has in common with the old state becomes the very same.
  const shared = isReadOnlyFromHere(rules) ? withPartsOf(draft, old, true) : undefined
  const checking = check(write, rules, { draft, old, context }, shared?.object)
  if (checking !== undefined) await checking
  if (heavy) await giveTurn()
  rules.canonicalize?.(draft)
  const checked = shared?.object ?? draft
  const validating = validate(write, { ...subject, object: checked })
  if (validating !== undefined) await validating
  if (heavy) await giveTurn()
  const settled = heavy
    ? await inTurns(normalFormInSteps(deps.kinds, definition, checked, shared?.parts))
    : normalForm(deps.kinds, definition, checked, shared?.parts)
  if (heavy) await giveTurn()
  return commit(deps, write, rules, { draft: settled, old, item, context })
}

function checkRevision(write: Write, rules: ResourceRules, draft: KubeObject, old: KubeObject): void {
  const given = draft.metadata.resourceVersion ?? ''
  if (given !== '' && given === old.metadata.resourceVersion) return
  if (given === '' || given === '0') {
    if (rules.allowUnconditionalUpdate !== false) {
      draft.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
      return
    }
    const { group, resource } = groupResource(write)
    throw invalidObject({ group, kind: resource }, write.place.name, [
      invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  }
  const revision = parseRevision(given)
  if (typeof revision === 'string') throw new StatusError({ code: 500, message: revision })
  throw staleWrite(groupResource(write), write.place.name)
}

interface States {
  readonly draft: KubeObject
  readonly old: KubeObject
  readonly context: RulesContext
}

function prepare(write: Write, rules: ResourceRules, { draft, old, context }: States): void {
  const { metadata } = draft
  settleNamespace(draft, write.served.definition.scope === 'Namespaced', write.place.namespace)
  if (old.metadata.generation === undefined) delete metadata.generation
  else metadata.generation = old.metadata.generation
  keepForeignFields(write, draft, old)
  rules.prepareForUpdate?.(draft, old, context)
  countGeneration(write, draft, old)
  if (!metadata.uid && old.metadata.uid !== undefined) metadata.uid = old.metadata.uid
  if (old.metadata.creationTimestamp) metadata.creationTimestamp = old.metadata.creationTimestamp
  if (old.metadata.deletionTimestamp) metadata.deletionTimestamp = old.metadata.deletionTimestamp
  if (old.metadata.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.metadata.deletionGracePeriodSeconds
  }
  delete metadata.selfLink
}

/** Throws 422 with every fault. `shared`: the same object with parts of the old one, which are quicker to judge; faults are told of the draft itself. */
function check(write: Write, rules: ResourceRules, states: States, shared: KubeObject | undefined): void | Promise<void> {
  if (rules.validateInSteps !== undefined) return checkInSteps(write, rules, states, shared)
  let faults = faultsOf(write, rules, { ...states, draft: shared ?? states.draft })
  if (faults.length > 0 && shared !== undefined) faults = faultsOf(write, rules, states)
  judge(write, rules, { ...states, shared }, faults)
}

async function checkInSteps(write: Write, rules: ResourceRules, states: States, shared: KubeObject | undefined): Promise<void> {
  const all = async (seen: States) => {
    const more = rules.validateInSteps?.(seen.draft, seen.old, seen.context)
    return [...faultsOf(write, rules, seen), ...(more === undefined ? [] : await inTurns(more))]
  }
  let faults = await all({ ...states, draft: shared ?? states.draft })
  if (faults.length > 0 && shared !== undefined) faults = await all(states)
  judge(write, rules, { ...states, shared }, faults)
}

type Judged = States & { readonly shared: KubeObject | undefined }

function judge(write: Write, rules: ResourceRules, { draft, old, context, shared }: Judged, faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidObject(groupKind(write), draft.metadata.name ?? '', faults)
  for (const text of rules.warnings?.(shared ?? draft, old, context) ?? []) write.request.warn(text)
}

function faultsOf(write: Write, rules: ResourceRules, { draft, old, context }: States): readonly FieldError[] {
  const namespaced = write.served.definition.scope === 'Namespaced'
  const how = {
    namespaced,
    validateName: rules.validateName,
    again: rules.metadataChecks ?? 'not',
    finalizers: () => builtinFinalizers(write, draft),
  }
  const meta = validateUpdatedMeta(draft.metadata, old.metadata, how)
  const own = rules.validateUpdate?.(draft, old, context) ?? []
  return meta.length === 0 ? own : [...meta, ...own]
}

async function commit(
  deps: StoreDeps,
  write: Write,
  rules: ResourceRules,
  { draft, old, item, context }: States & { readonly item: StoredObject },
): Promise<Outcome | undefined> {
  const { definition } = write.served
  const { watchCache, definitions } = deps
  const goes = letsGo(draft, old) && (rules.deletesOnUpdate?.(draft, old) ?? true)
  const storedAs = storageApiVersion(definitions, definition)
  if (write.dryRun) {
    // What would be read back: what the stored version does not hold is lost.
    const object = await convert(definition, await convert(definition, draft, storedAs), requestVersion(write))
    return { kind: 'object', created: false, object }
  }
  if (goes) {
    const gone = await watchCache.remove(definition, item)
    if (gone.kind === 'conflict') return undefined
    await rules.afterDelete?.(item.object, context)
    return { kind: 'object', created: false, object: await convert(definition, draft, requestVersion(write)) }
  }
  // What is stored in an older version moves to the present one with its next write, one that changes nothing too: so objects are migrated.
  if (item.object.apiVersion === storedAs && changesOnlyTimes(draft, old)) return { kind: 'item', created: false, item }
  const reserved = rules.reserve && (await rules.reserve(draft, old, context))
  try {
    const converted = convert(definition, draft, storedAs)
    const stored = converted instanceof Promise ? await converted : converted
    const written = await watchCache.put(definition, item.key, stored, item)
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

/** The last finalizer of an object that is being deleted went. */
function letsGo(draft: KubeObject, old: KubeObject): boolean {
  if (old.metadata.deletionTimestamp === undefined || (draft.metadata.finalizers ?? []).length > 0) return false
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0
}

function uidConflict(write: Write, given: string, standing: string): StatusError {
  const { namespace, name } = write.place
  return uidPrecondition(groupResource(write), name, { key: etcdKey(write.served.definition, namespace, name), given, standing })
}
