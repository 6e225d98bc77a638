import { timestamp } from '../../../base/clock.ts'
import { cloneJson, type KubeObject } from '../../../machinery/object.ts'
import { conflict, notFound } from '../../../machinery/status-error.ts'
import type { Item } from '../../cache/item.ts'
import { validate } from '../admit.ts'
import { type Answer, type Call, groupResource, requestVersion, rulesContext } from '../call.ts'
import { convert } from '../conversion.ts'
import { find } from '../read/get.ts'
import { type DeleteOptions, deleteOptions, deleteOptionsOfQuery } from '../request/options.ts'
import { receiveDeleteOptions } from './delete-body.ts'

/** DELETE of one object. */
export async function remove(call: Call): Promise<Answer> {
  const body = await receiveDeleteOptions(call)
  const options = body === undefined ? deleteOptionsOfQuery(call.query) : deleteOptions(body)
  warnOfOrphans(call, options)
  await call.deps.registry.consistent()
  const outcome = await removeStored(call, options)
  return { kind: 'object', code: outcome.gone || !waits(options) ? 200 : 202, object: await shown(call, outcome) }
}

/** A delete that was asked in the old way to take dependents along is only accepted. */
const waits = (o: DeleteOptions) => o.orphanDependents === false

/** Some kinds leave their dependents behind unless told otherwise, and say so. */
export function warnOfOrphans(call: Call, options: DeleteOptions): void {
  const warning = call.served.definition.rules.deleteWarning
  if (warning !== undefined && options.propagationPolicy === undefined && options.orphanDependents === undefined) call.warn(warning)
}

interface Outcome {
  readonly object: KubeObject
  readonly gone: boolean
}

async function shown(call: Call, { object, gone }: Outcome): Promise<KubeObject> {
  const { definition } = call.served
  const graceful = object.metadata.deletionTimestamp !== undefined
  if (!gone || graceful || definition.rules.returnsDeleted === true) return convert(definition, object, requestVersion(call))
  const details = {
    name: call.target.name,
    ...(definition.group !== '' && { group: definition.group }),
    kind: definition.names.plural,
    uid: object.metadata.uid,
  }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } as unknown as KubeObject
}

/** Deletes, or marks as being deleted, the addressed object; begins anew when somebody else wrote in between. */
export async function removeStored(call: Call, options: DeleteOptions): Promise<Outcome> {
  for (;;) {
    const item = find(call)
    if (item === undefined) throw notFound(groupResource(call), call.target.name)
    checkPreconditions(call, options, item.object)
    const { definition } = call.served
    await validate(call, {
      operation: 'DELETE',
      object: undefined,
      oldObject: await convert(definition, item.object, requestVersion(call)),
      name: call.target.name,
      options: options.object,
      dryRun: options.dryRun,
    })
    const outcome = await carryOut(call, options, item)
    if (outcome !== undefined) return outcome
    if (call.signal.aborted) throw call.signal.reason
  }
}

function checkPreconditions(call: Call, { preconditions }: DeleteOptions, { metadata }: KubeObject): void {
  const { names } = call.served.definition
  const about = { group: call.served.definition.group, resource: names.kind }
  if (preconditions?.uid !== undefined && preconditions.uid !== metadata.uid) {
    const why = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`
    throw conflict(about, call.target.name, why)
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`
    throw conflict(about, call.target.name, why)
  }
}

/** What a delete does to one state of an object. */
type Plan =
  /** It is being deleted already, and nothing changes. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'mark'; readonly draft: KubeObject; readonly thenDelete: boolean }
  | { readonly kind: 'delete' }

async function carryOut(call: Call, options: DeleteOptions, item: Item): Promise<Outcome | undefined> {
  const { definition } = call.served
  const { registry } = call.deps
  const plan = planDelete(call, options, item.object)
  if (plan.kind === 'pending') return { object: item.object, gone: false }
  const context = rulesContext(call, options.dryRun)
  if (options.dryRun) return { object: plan.kind === 'mark' ? plan.draft : item.object, gone: plan.kind === 'delete' || plan.thenDelete }
  if (plan.kind === 'delete') return deleteNow(call, item, context)
  const marked = await registry.put(definition, item.key, plan.draft, item)
  if (marked.kind === 'conflict') return undefined
  if (!plan.thenDelete) return { object: marked.item.object, gone: false }
  return deleteNow(call, marked.item, context)
}

async function deleteNow(call: Call, item: Item, context: ReturnType<typeof rulesContext>): Promise<Outcome | undefined> {
  const { definition } = call.served
  const gone = await call.deps.registry.remove(definition, item)
  if (gone.kind === 'conflict') return undefined
  await definition.rules.afterDelete?.(item.object, context)
  return { object: item.at(gone.revision).object, gone: true }
}

/** Pure: finalizers, grace and holds of the kind decide what becomes of the object. */
function planDelete(call: Call, options: DeleteOptions, object: KubeObject): Plan {
  const { rules } = call.served.definition
  const { clock } = call.deps
  const draft = cloneJson(object)
  const meta = draft.metadata
  const grace = rules.gracePeriodSeconds?.(object, options.gracePeriodSeconds)
  let graceful = false
  if (meta.deletionTimestamp !== undefined) {
    if (grace !== undefined && meta.deletionGracePeriodSeconds !== undefined) {
      const asked = options.gracePeriodSeconds
      if (asked === undefined || Math.max(1, asked) >= meta.deletionGracePeriodSeconds) {
        if (asked !== 0) return { kind: 'pending' }
      }
      if (meta.deletionGracePeriodSeconds === 0) return { kind: 'pending' }
      meta.deletionTimestamp = timestamp(Date.parse(meta.deletionTimestamp) + ((asked ?? 0) - meta.deletionGracePeriodSeconds) * 1000)
      meta.deletionGracePeriodSeconds = asked ?? 0
      graceful = true
    }
  } else if (grace !== undefined) {
    meta.deletionTimestamp = timestamp(clock.now() + grace * 1000)
    meta.deletionGracePeriodSeconds = grace
    if ((meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1
    graceful = true
  }
  settleFinalizers(call, options, draft)
  const held = (meta.finalizers ?? []).length > 0
  if (graceful) return { kind: 'mark', draft, thenDelete: !held && meta.deletionGracePeriodSeconds === 0 }
  if (rules.holdOnDelete !== undefined) {
    markNow(call, draft)
    if (rules.holdOnDelete(draft, rulesContext(call, options.dryRun))) return { kind: 'mark', draft, thenDelete: false }
  }
  if (!held) return { kind: 'delete' }
  markNow(call, draft)
  meta.deletionGracePeriodSeconds = 0
  return { kind: 'mark', draft, thenDelete: false }
}

function markNow(call: Call, draft: KubeObject): void {
  const meta = draft.metadata
  const now = call.deps.clock.now()
  if (meta.deletionTimestamp === undefined && (meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1
  if (meta.deletionTimestamp === undefined || Date.parse(meta.deletionTimestamp) > now) meta.deletionTimestamp = timestamp(now)
}

const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/** Adds or takes away the finalizers by which the garbage collector knows what is to happen to dependents. */
function settleFinalizers(call: Call, options: DeleteOptions, draft: KubeObject): void {
  const old = draft.metadata.finalizers ?? []
  const policy = propagation(call, options, old)
  const others = old.filter((f) => f !== ORPHAN && f !== FOREGROUND)
  const wanted = policy === 'Orphan' ? [...others, ORPHAN] : policy === 'Foreground' ? [...others, FOREGROUND] : others
  if (wanted.length === old.length && wanted.every((f) => old.includes(f))) return
  if (wanted.length === 0) delete draft.metadata.finalizers
  else draft.metadata.finalizers = wanted
}

function propagation(call: Call, options: DeleteOptions, finalizers: readonly string[]): string {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background'
  if (options.propagationPolicy !== undefined) return options.propagationPolicy
  if (finalizers.includes(ORPHAN)) return 'Orphan'
  if (finalizers.includes(FOREGROUND)) return 'Foreground'
  return call.served.definition.rules.defaultPropagation ?? 'Background'
}
