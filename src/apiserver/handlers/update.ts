import type { FieldError } from '../../machinery/field-error.ts'
import { invalid } from '../../machinery/field-error.ts'
import { changesOnlyTimes } from '../../machinery/managed-fields/timestamps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { cloneDecoded } from '../../machinery/schema/given-empty.ts'
import { badRequest, invalidObject, notFound, StatusError, staleWrite } from '../../machinery/status-error.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../../machinery/validation/object-meta.ts'
import type { Item } from '../cache/item.ts'
import { mustBeAllowed, resourceAttributes } from '../identity/authorizer.ts'
import { mutate, validate } from './admit.ts'
import { parseUint64 } from './body/go-values.ts'
import { settled } from './body/settled.ts'
import { type Answer, type Call, groupKind, groupResource, requestVersion, rulesContext } from './call.ts'
import { convert, storageApiVersion, workingApiVersion } from './conversion.ts'
import { createDraft, received } from './create.ts'
import { uidPrecondition } from './delete/uid-precondition.ts'
import { countGeneration, effectiveRules, keepForeignFields } from './effective-rules.ts'
import { recordWrite } from './managers.ts'
import { builtinFinalizers, dedupOwners, settleNamespace } from './object-meta.ts'
import { find } from './read/get.ts'
import { etcdKey } from './request/etcd-key.ts'
import { optionsObject, type WriteOptions, writeOptions } from './request/options.ts'

/** How an update comes to its new state. */
export interface Change {
  /** A fresh draft in the working version, made from what is stored now (undefined: nothing). */
  draft(old: KubeObject | undefined): KubeObject | Promise<KubeObject>
  /** The client says which object it means. */
  readonly uid?: string | undefined
  /** A missing object is created. */
  readonly mayCreate: boolean
  /** The draft's managed fields are right already. */
  readonly tracked?: boolean
}

/** PUT on an object or its status. */
export async function update(call: Call): Promise<Answer> {
  const options = writeOptions('UpdateOptions', call.query, undefined)
  const draft = await received(call, options)
  settleNamespace(draft, call.served.definition.scope === 'Namespaced', call.target.namespace)
  checkName(call, draft)
  return change(call, options, {
    draft: () => cloneDecoded(draft),
    uid: draft.metadata.uid,
    mayCreate: call.subresource === undefined && effectiveRules(call).allowCreateOnUpdate === true,
  })
}

/** The object in the body must be the one in the path. */
export function checkName(call: Call, draft: KubeObject): void {
  const { name } = call.target
  const own = draft.metadata.name ?? ''
  if (own === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`)
}

/** Carries a change to the store; begins anew when somebody else wrote in between. */
export async function change(call: Call, options: WriteOptions, how: Change): Promise<Answer> {
  await call.deps.registry.consistent()
  for (;;) {
    const item = find(call)
    if (item === undefined) {
      if (!how.mayCreate) throw notFound(groupResource(call), call.target.name)
      return createMissing(call, options, how)
    }
    const answer = await attempt(call, options, how, item)
    if (answer !== undefined) return answer
    if (call.signal.aborted) throw call.signal.reason
  }
}

async function createMissing(call: Call, options: WriteOptions, how: Change): Promise<Answer> {
  // Who may update need not be allowed to create.
  await mustBeAllowed(call.deps.authorizer, resourceAttributes({ ...call.target, user: call.user, verb: 'create' }))
  const draft = await how.draft(undefined)
  if (how.uid) throw uidConflict(call, how.uid, '')
  if (!['', '0'].includes(draft.metadata.resourceVersion ?? '')) throw staleWrite(groupResource(call), call.target.name)
  delete draft.metadata.resourceVersion
  return createDraft(call, draft, options, how.tracked)
}

/** One try. Undefined: the object was changed meanwhile. */
async function attempt(call: Call, options: WriteOptions, how: Change, item: Item): Promise<Answer | undefined> {
  const { definition, version } = call.served
  const { deps } = call
  const old = await convert(definition, item.object, workingApiVersion(deps.definitions, definition, version.version))
  if (how.uid && how.uid !== old.metadata.uid) throw uidConflict(call, how.uid, old.metadata.uid ?? '')
  const proposed = await how.draft(old)
  dedupOwners(call, proposed)
  if (how.tracked !== true) await recordWrite(call, proposed, old, options)
  const subject = {
    operation: 'UPDATE',
    oldObject: old,
    name: call.target.name,
    options: optionsObject(options),
    dryRun: options.dryRun,
  } as const
  const draft = (await mutate(call, { ...subject, object: proposed })) ?? proposed
  dedupOwners(call, draft)
  checkRevision(call, draft, old)
  const context = rulesContext(call, options.dryRun)
  prepare(call, draft, old, context)
  check(call, draft, old, context)
  effectiveRules(call).canonicalize?.(draft)
  await validate(call, { ...subject, object: draft })
  return commit(call, options, { draft: settled(call.deps.kinds, definition, draft), old, item, context })
}

function checkRevision(call: Call, draft: KubeObject, old: KubeObject): void {
  const given = draft.metadata.resourceVersion ?? ''
  if (given === '' || given === '0') {
    if (effectiveRules(call).allowUnconditionalUpdate !== false) {
      draft.metadata.resourceVersion = old.metadata.resourceVersion ?? ''
      return
    }
    const { group, resource } = groupResource(call)
    throw invalidObject({ group, kind: resource }, call.target.name, [
      invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  }
  const revision = parseUint64(given)
  if (typeof revision === 'string') throw new StatusError({ code: 500, message: revision })
  if (given !== old.metadata.resourceVersion) throw staleWrite(groupResource(call), call.target.name)
}

function prepare(call: Call, draft: KubeObject, old: KubeObject, context: RulesContext): void {
  const rules = effectiveRules(call)
  const { metadata } = draft
  settleNamespace(draft, call.served.definition.scope === 'Namespaced', call.target.namespace)
  if (old.metadata.generation === undefined) delete metadata.generation
  else metadata.generation = old.metadata.generation
  keepForeignFields(call, draft, old)
  rules.prepareForUpdate?.(draft, old, context)
  countGeneration(call, draft, old)
  if (!metadata.uid && old.metadata.uid !== undefined) metadata.uid = old.metadata.uid
  if (old.metadata.creationTimestamp) metadata.creationTimestamp = old.metadata.creationTimestamp
  if (old.metadata.deletionTimestamp) metadata.deletionTimestamp = old.metadata.deletionTimestamp
  if (old.metadata.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.metadata.deletionGracePeriodSeconds
  }
  delete metadata.selfLink
}

function check(call: Call, draft: KubeObject, old: KubeObject, context: RulesContext): void {
  const rules = effectiveRules(call)
  const namespaced = call.served.definition.scope === 'Namespaced'
  const faults: FieldError[] = [
    ...validateObjectMeta(draft.metadata, { namespaced, validateName: anyName }),
    // Kubernetes looks twice at the metadata of an update.
    ...builtinFinalizers(call, draft),
    ...builtinFinalizers(call, draft),
    ...validateObjectMetaUpdate(draft.metadata, old.metadata),
    ...(rules.validateUpdate?.(draft, old, context) ?? []),
  ]
  if (faults.length > 0) throw invalidObject(groupKind(call), draft.metadata.name ?? '', faults)
  for (const text of rules.warnings?.(draft, old, context) ?? []) call.warn(text)
}

/** Names were checked when the object was made. */
const anyName = (): readonly string[] => []

interface Ready {
  readonly draft: KubeObject
  readonly old: KubeObject
  readonly item: Item
  readonly context: RulesContext
}

async function commit(call: Call, options: WriteOptions, { draft, old, item, context }: Ready): Promise<Answer | undefined> {
  const { definition } = call.served
  const { registry, definitions } = call.deps
  const rules = effectiveRules(call)
  const goes = letsGo(draft, old) && (rules.deletesOnUpdate?.(draft, old) ?? true)
  if (options.dryRun) return { kind: 'object', code: 200, object: await convert(definition, draft, requestVersion(call)) }
  if (goes) {
    const gone = await registry.remove(definition, item)
    if (gone.kind === 'conflict') return undefined
    await rules.afterDelete?.(item.object, context)
    return { kind: 'object', code: 200, object: await convert(definition, draft, requestVersion(call)) }
  }
  if (changesOnlyTimes(draft, old)) return { kind: 'item', code: 200, item }
  const reserved = await rules.reserve?.(draft, old, context)
  try {
    const stored = await convert(definition, draft, storageApiVersion(definitions, definition))
    const written = await registry.put(definition, item.key, stored, item)
    if (written.kind !== 'conflict') return { kind: 'item', code: 200, item: written.item }
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

function uidConflict(call: Call, given: string, standing: string): StatusError {
  const key = etcdKey(call.served.definition, call.target.namespace, call.target.name)
  return uidPrecondition(groupResource(call), call.target.name, { key, given, standing })
}
