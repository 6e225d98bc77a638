import { inTurns } from '../../base/steps.ts'
import { giveTurn } from '../../base/turns.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRules, RulesContext } from '../../machinery/resource/definition.ts'
import { alreadyExists, invalidObject, StatusError } from '../../machinery/status-error.ts'
import { validateObjectMeta } from '../../machinery/validation/object-meta.ts'
import { isHeavy } from '../../machinery/weight.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { mutate, validate } from './admit.ts'
import { convert, workingApiVersion } from './conversion.ts'
import { effectiveRules } from './effective-rules.ts'
import { recordWrite } from './managers.ts'
import { normalForm, normalFormInSteps } from './normal-form.ts'
import { builtinFinalizers, dedupOwners, fillSystemFields, generatedName, settleNamespace, wipeSystemFields } from './object-meta.ts'
import type { Outcome } from './outcome.ts'
import { isReadOnlyFromHere, withPartsOf } from './shared-parts.ts'
import { groupKind, groupResource, keyOf, requestVersion, rulesContext, type StoreDeps, type Write } from './write.ts'

const NAME_TRIES = 8

/** How a new object comes. */
export interface Creation {
  /** Its managed fields are right already (an apply made them). */
  readonly tracked?: boolean
}

/** From a decoded object, which belongs to the store from now on, to a stored one. */
export async function createObject(deps: StoreDeps, write: Write, received: KubeObject, { tracked }: Creation): Promise<Outcome> {
  const { definition } = write.served
  // Of what is large each stage has a turn of its own.
  const heavy = isHeavy(received)
  if (heavy) await giveTurn()
  const recorded = tracked === true ? undefined : recordWrite(deps, write, { draft: received, live: undefined, heavy })
  if (recorded !== undefined) await recorded
  if (heavy) await giveTurn()
  const subject = { operation: 'CREATE', oldObject: undefined, options: createOptions(write.options) } as const
  const mutated = mutate(write, { ...subject, object: received, name: received.metadata.name ?? '' })
  const draft = (mutated instanceof Promise ? await mutated : mutated) ?? received
  dedupOwners(write, draft)
  const context = rulesContext(deps, write)
  wipeSystemFields(draft)
  fillSystemFields(deps, draft)
  const prefix = draft.metadata.generateName ?? ''
  const generated = prefix !== '' && (draft.metadata.name ?? '') === ''
  if (generated) draft.metadata.name = generatedName(deps, prefix)
  settleNamespace(draft, definition.scope === 'Namespaced', write.place.namespace)
  const rules = effectiveRules(write)
  prepare(rules, draft, context)
  if (heavy) await giveTurn()
  // Objects of one template have most of what they say in common with the one that was made before them.
  const like = isReadOnlyFromHere(rules) && !heavy ? deps.lately.like(definition, draft) : undefined
  const shared = like?.apiVersion === draft.apiVersion ? withPartsOf(draft, like, true) : undefined
  const checked = shared?.object ?? draft
  const checking = check(write, { draft, shared: checked, context }, rules)
  if (checking !== undefined) await checking
  if (heavy) await giveTurn()
  rules.canonicalize?.(draft)
  const validating = validate(write, { ...subject, object: checked, name: draft.metadata.name ?? '' })
  if (validating !== undefined) await validating
  if (heavy) await giveTurn()
  const settled = heavy
    ? await inTurns(normalFormInSteps(deps.kinds, definition, checked, shared?.parts))
    : normalForm(deps.kinds, definition, checked, shared?.parts)
  if (heavy) await giveTurn()
  const outcome = await commitNew(deps, write, settled, { context, generated })
  if (outcome.kind === 'item' && !heavy) deps.lately.note(definition, outcome.item.object)
  return outcome
}

/** What admission sees when an update makes a missing object. */
const createOptions = (options: KubeObject): KubeObject =>
  options.kind === 'CreateOptions' ? options : { ...options, kind: 'CreateOptions' }

function prepare(rules: ResourceRules, draft: KubeObject, context: RulesContext): void {
  rules.prepareForCreate?.(draft, context)
  if ((rules.generation ?? 'none') !== 'none') draft.metadata.generation = 1
}

interface Checked {
  readonly draft: KubeObject
  /** The same object with parts that are quicker to judge; faults are told of the draft itself. */
  readonly shared: KubeObject
  readonly context: RulesContext
}

/** Throws 422 with every fault. */
function check(write: Write, checked: Checked, rules: ResourceRules): void | Promise<void> {
  const { draft, shared, context } = checked
  let found = faultsOf(write, shared, context, rules)
  if (found.length > 0 && shared !== draft) found = faultsOf(write, draft, context, rules)
  if (rules.validateInSteps === undefined) return judge(write, checked, rules, found)
  return inTurns(rules.validateInSteps(draft, undefined, context)).then((more) => judge(write, checked, rules, [...found, ...more]))
}

function judge(write: Write, { draft, shared, context }: Checked, rules: ResourceRules, faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidObject(groupKind(write), draft.metadata.name ?? '', faults)
  for (const text of rules.warnings?.(shared, undefined, context) ?? []) write.request.warn(text)
}

function faultsOf(write: Write, object: KubeObject, context: RulesContext, rules: ResourceRules): readonly FieldError[] {
  const namespaced = write.served.definition.scope === 'Namespaced'
  return [
    ...validateObjectMeta(object.metadata, { namespaced, validateName: rules.validateName }),
    ...builtinFinalizers(write, object),
    ...(rules.validateCreate?.(object, context) ?? []),
  ]
}

async function commitNew(
  deps: StoreDeps,
  write: Write,
  draft: KubeObject,
  how: { readonly context: RulesContext; readonly generated: boolean },
): Promise<Outcome> {
  const { definition } = write.served
  const { watchCache } = deps
  // The storage asks it, and a dry run stores nothing.
  if (!write.dryRun && !['', '0'].includes(draft.metadata.resourceVersion ?? '')) {
    throw new StatusError({ code: 500, message: 'resourceVersion should not be set on objects to be created' })
  }
  const { reserve } = effectiveRules(write)
  const reserved = reserve && (await reserve(draft, undefined, how.context))
  try {
    for (let tries = 1; ; tries++) {
      const key = keyOf(definition, write.place.namespace, draft.metadata.name ?? '')
      const standing = watchCache.of(definition).get(key)
      if (standing === undefined) {
        // A dry run, too, says what would be read back: what the stored version does not hold is lost.
        const converted = convert(definition, draft, workingApiVersion(deps.definitions, definition, definition.storageVersion))
        const stored = converted instanceof Promise ? await converted : converted
        if (write.dryRun) {
          await reserved?.undo()
          return { kind: 'object', created: true, object: await convert(definition, stored, requestVersion(write)) }
        }
        const written = await watchCache.put(definition, key, stored, undefined)
        if (written.kind !== 'conflict') {
          if (reserved?.done !== undefined) await reserved.done()
          return { kind: 'item', created: true, item: written.item }
        }
      }
      if (!how.generated || tries === NAME_TRIES) throw exists(write, draft.metadata.name ?? '', standing)
      draft.metadata.name = generatedName(deps, draft.metadata.generateName ?? '')
    }
  } catch (error) {
    if (!write.dryRun) await reserved?.undo()
    throw error
  }
}

function exists(write: Write, name: string, standing: StoredObject | undefined): StatusError {
  const error = alreadyExists(groupResource(write), name)
  if (standing?.object.metadata.deletionTimestamp === undefined) return error
  return new StatusError({ ...error.status, reason: 'AlreadyExists', message: `object is being deleted: ${error.message}` })
}
