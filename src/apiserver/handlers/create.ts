import type { FieldError } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRules, RulesContext } from '../../machinery/resource/definition.ts'
import { alreadyExists, invalidObject, StatusError } from '../../machinery/status-error.ts'
import { validateObjectMeta } from '../../machinery/validation/object-meta.ts'
import type { Item } from '../cache/item.ts'
import { mutate, validate } from './admit.ts'
import { receive } from './body/receive.ts'
import { settled } from './body/settled.ts'
import { type Answer, type Call, groupKind, groupResource, keyOf, requestVersion, rulesContext } from './call.ts'
import { convert, workingApiVersion } from './conversion.ts'
import { effectiveRules } from './effective-rules.ts'
import { recordWrite } from './managers.ts'
import { builtinFinalizers, dedupOwners, fillSystemFields, generatedName, settleNamespace, wipeSystemFields } from './object-meta.ts'
import { optionsObject, type WriteOptions, writeOptions } from './request/options.ts'
import { review } from './review.ts'

const NAME_TRIES = 8

/** POST on a collection. */
export async function create(call: Call): Promise<Answer> {
  const options = writeOptions('CreateOptions', call.query, undefined)
  const draft = await received(call, options)
  const { definition } = call.served
  wipeSystemFields(draft)
  settleNamespace(draft, definition.scope === 'Namespaced', call.target.namespace)
  if (definition.review !== undefined) return review(call, definition.review, draft, options)
  dedupOwners(call, draft)
  return createDraft(call, draft, options)
}

/** The body in the working version, with defaults. */
export async function received(call: Call, options: WriteOptions): Promise<KubeObject> {
  const { definition, version } = call.served
  const gvk = { group: definition.group, version: version.version, kind: definition.names.kind }
  const expected = { gvk, schema: version.schema(), custom: definition.customDefinition !== undefined, decode: version.decode }
  const object = await receive(call, expected, options.fieldValidation)
  const working = await convert(definition, object, workingApiVersion(call.deps.definitions, definition, version.version))
  effectiveRules(call).defaults?.(working)
  return working
}

/** From a decoded object to a stored one; also what an update of a missing object, or an apply, does. */
export async function createDraft(call: Call, received: KubeObject, options: WriteOptions, tracked = false): Promise<Answer> {
  const { definition } = call.served
  if (!tracked) await recordWrite(call, received, undefined, options)
  const admitted = await mutate(call, { ...subject(options), object: received, name: received.metadata.name ?? '' })
  const draft = admitted ?? received
  dedupOwners(call, draft)
  const context = rulesContext(call, options.dryRun)
  wipeSystemFields(draft)
  fillSystemFields(call, draft)
  const prefix = draft.metadata.generateName ?? ''
  const generated = prefix !== '' && (draft.metadata.name ?? '') === ''
  if (generated) draft.metadata.name = generatedName(call, prefix)
  settleNamespace(draft, definition.scope === 'Namespaced', call.target.namespace)
  const rules = effectiveRules(call)
  prepare(rules, draft, context)
  check(call, draft, context, rules)
  rules.canonicalize?.(draft)
  await validate(call, { ...subject(options), object: draft, name: draft.metadata.name ?? '' })
  return commitNew(call, settled(call.deps.kinds, definition, draft), options, { context, generated })
}

function subject(options: WriteOptions) {
  return {
    operation: 'CREATE',
    oldObject: undefined,
    options: optionsObject({ ...options, kind: 'CreateOptions' }),
    dryRun: options.dryRun,
  } as const
}

function prepare(rules: ResourceRules, draft: KubeObject, context: RulesContext): void {
  rules.prepareForCreate?.(draft, context)
  if ((rules.generation ?? 'none') !== 'none') draft.metadata.generation = 1
}

function check(call: Call, draft: KubeObject, context: RulesContext, rules: ResourceRules): void {
  const namespaced = call.served.definition.scope === 'Namespaced'
  const faults: FieldError[] = [
    ...validateObjectMeta(draft.metadata, { namespaced, validateName: rules.validateName }),
    ...builtinFinalizers(call, draft),
    ...(rules.validateCreate?.(draft, context) ?? []),
  ]
  if (faults.length > 0) throw invalidObject(groupKind(call), draft.metadata.name ?? '', faults)
  for (const text of rules.warnings?.(draft, undefined, context) ?? []) call.warn(text)
}

async function commitNew(
  call: Call,
  draft: KubeObject,
  options: WriteOptions,
  how: { context: RulesContext; generated: boolean },
): Promise<Answer> {
  const { definition } = call.served
  const { registry } = call.deps
  if (!['', '0'].includes(draft.metadata.resourceVersion ?? '')) {
    throw new StatusError({ code: 500, message: 'resourceVersion should not be set on objects to be created' })
  }
  const reserved = await effectiveRules(call).reserve?.(draft, undefined, how.context)
  try {
    for (let tries = 1; ; tries++) {
      const key = keyOf(definition, call.target.namespace, draft.metadata.name ?? '')
      const standing = registry.cache(definition).get(key)
      if (standing === undefined) {
        if (options.dryRun) {
          await reserved?.undo()
          return { kind: 'object', code: 201, object: await convert(definition, draft, requestVersion(call)) }
        }
        const stored = await convert(definition, draft, workingApiVersion(call.deps.definitions, definition, definition.storageVersion))
        const written = await registry.put(definition, key, stored, undefined)
        if (written.kind !== 'conflict') return { kind: 'item', code: 201, item: written.item }
      }
      if (!how.generated || tries === NAME_TRIES) throw exists(call, draft.metadata.name ?? '', standing)
      draft.metadata.name = generatedName(call, draft.metadata.generateName ?? '')
    }
  } catch (error) {
    if (!options.dryRun) await reserved?.undo()
    throw error
  }
}

function exists(call: Call, name: string, standing: Item | undefined): StatusError {
  const error = alreadyExists(groupResource(call), name)
  if (standing?.object.metadata.deletionTimestamp === undefined) return error
  return new StatusError({ ...error.status, reason: 'AlreadyExists', message: `object is being deleted: ${error.message}` })
}
