import { byText } from '../../base/by-text.ts'
import { atOnce, type Steps } from '../../base/steps.ts'
import { equalJson } from '../../machinery/equal.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'
import { apiVersionOf, asJson, cloneJson, isObject, type Json, type KubeObject } from '../../machinery/object.ts'
import type { ResourceRules, RulesContext } from '../../machinery/resource/definition.ts'
import { goPrint, goTypeName } from '../../machinery/schema/go-print.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { checkEmbedded } from '../../machinery/structural/embedded-meta.ts'
import { fillDefaults } from '../../machinery/structural/fill-defaults.ts'
import { checkListTypes } from '../../machinery/structural/list-types.ts'
import { matchPatterns } from '../../machinery/structural/match-patterns.ts'
import { hasRules, ruleSteps } from '../../machinery/structural/rules.ts'
import { propertyOf, type SchemaProps } from '../../machinery/structural/schema-props.ts'
import { validateInSteps } from '../../machinery/structural/validator.ts'
import { validateObjectMetaUpdate } from '../../machinery/validation/object-meta.ts'
import { isHeavy } from '../../machinery/weight.ts'
import type { Subresources } from '../../resources/apiextensions/types.ts'
import { objectMeta } from './custom-decoder.ts'

/** One version as the rules need it. */
export interface RuledVersion {
  readonly name: string
  readonly schema: SchemaProps
  readonly subresources: Subresources | undefined
}

/** The rules of a custom kind. `terminating`: its definition is being deleted. */
export function customRules(
  { group, kind }: { readonly group: string; readonly kind: string },
  versions: readonly RuledVersion[],
  terminating: boolean,
): ResourceRules {
  const ofKind = (object: KubeObject) => (object.kind === kind ? [] : [invalid('kind', object.kind, `must be ${kind}`)])
  const byVersion = new Map(versions.map((v) => [apiVersionOf({ group, version: v.name }), v]))
  const of = (object: KubeObject) => byVersion.get(object.apiVersion)
  return {
    generation: 'spec',
    allowUnconditionalUpdate: false,
    // An object of another kind has no other fault.
    metadataLast: true,
    validateCreate: ofKind,
    prepareForCreate(draft) {
      if (terminating) throw refusesCreates()
      const version = of(draft)
      if (version?.subresources?.status === undefined || !Object.hasOwn(draft, 'status')) return
      delete draft.status
      fillDefaults(draft, version.schema)
    },
    *validateInSteps(object, old, context, found = []) {
      const version = of(object)
      if (version === undefined) return []
      const foreign = ofKind(object)
      if (foreign.length > 0) return old === undefined ? [] : foreign
      // As in Kubernetes, the metadata of a custom object is validated twice, and its faults are reported twice.
      const again = old === undefined ? [] : validateObjectMetaUpdate(object.metadata, old.metadata)
      const status = old !== undefined && context.subresource === 'status'
      const own = yield* status ? statusSteps(version, object, old, found) : objectSteps(version, object, old, found)
      return [...again, ...own]
    },
    withoutNulls(object) {
      const version = of(object)
      if (version === undefined) return object
      const copy = cloneJson(object)
      fillDefaults(copy, version.schema)
      return copy
    },
    warnings: (object, old, context) => crowded(object, old, context),
  }
}

const refusesCreates = () =>
  new StatusError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'create not allowed while custom resource definition is terminating',
    details: {},
  })

/** All faults of an object; parts that are unchanged from `old` are ratcheted. */
export function validateObject(version: RuledVersion, object: KubeObject, old: KubeObject | undefined): FieldError[] {
  return atOnce(objectSteps(version, object, old, []))
}

function* objectSteps(
  version: RuledVersion,
  object: KubeObject,
  old: KubeObject | undefined,
  found: readonly FieldError[],
): Steps<FieldError[]> {
  const { schema } = version
  const heavy = isHeavy(object)
  const matches = heavy ? yield* matchPatterns(schema, object) : undefined
  const faults = yield* validateInSteps(schema, object, { old, matches })
  if (heavy) yield
  faults.push(
    ...scaleFaults(version, object),
    ...checkEmbedded(object, schema, { objectMeta: objectMeta() }),
    ...(yield* checkListTypes(object, schema, '', old)),
  )
  if (heavy) yield
  return [...faults, ...(yield* ruleFaults(schema, object, old, [...found, ...faults]))]
}

/** A status update is validated by the schema of the status. */
function* statusSteps(version: RuledVersion, object: KubeObject, old: KubeObject, found: readonly FieldError[]): Steps<FieldError[]> {
  const { schema } = version
  const status = propertyOf(schema, 'status')
  const heavy = isHeavy(object)
  const matches = heavy && status !== undefined ? yield* matchPatterns(status, object.status) : undefined
  const faults =
    status === undefined || object.status === undefined
      ? []
      : yield* validateInSteps(status, object.status, { base: 'status', old: old.status, matches })
  if (heavy) yield
  if (old.status !== undefined && equalJson(old.status, object.status)) faults.length = 0
  faults.push(...scaleFaults(version, object, 'status'), ...(yield* checkListTypes(object, schema, '', old)))
  return [...faults, ...(yield* ruleFaults(schema, object, old, [...found, ...faults]))]
}

const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/** CEL rules run only on objects that are valid so far: they may rely on types and required fields. */
function* ruleFaults(
  schema: SchemaProps,
  object: KubeObject,
  old: KubeObject | undefined,
  found: readonly FieldError[],
): Steps<readonly FieldError[]> {
  if (!hasRules(schema)) return []
  return found.some((f) => BLOCKING.has(f.type)) ? [invalid('', null, UNCHECKED)] : yield* ruleSteps(schema, object, { old })
}

const MAX_INT32 = 2_147_483_647

/** The fields of the scale subresource must be numbers, in either notation. */
function scaleFaults({ subresources }: RuledVersion, object: KubeObject, only?: 'status'): FieldError[] {
  const scale = subresources?.scale
  if (scale === undefined || scale === null) return []
  const replicas = (path: string): FieldError[] => {
    const value = at(object, path)
    if (value === undefined) return []
    if (value instanceof Error) return [invalid(path, 0, value.message)]
    const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
    if (!isInteger) return [invalid(path, 0, accessor(path, value, 'int64'))]
    if (value < 0) return [invalid(path, value, 'should be a non-negative integer')]
    return value > MAX_INT32 ? [invalid(path, value, `should be less than or equal to ${MAX_INT32}`)] : []
  }
  const selector = scale.labelSelectorPath ?? ''
  const chosen = selector === '' ? undefined : at(object, selector)
  return [
    ...(only === undefined ? replicas(scale.specReplicasPath) : []),
    ...replicas(scale.statusReplicasPath),
    ...(chosen !== undefined && typeof chosen !== 'string' && !(chosen instanceof Error)
      ? [invalid(selector, '', accessor(selector, chosen, 'string'))]
      : []),
  ]
}

function at(object: KubeObject, path: string): Json | Error | undefined {
  let value: Json | undefined = asJson(object)
  let reached = ''
  for (const name of path.replace(/^\./, '').split('.')) {
    reached += `.${name}`
    if (value === undefined || value === null) return undefined
    if (!isObject(value)) return new Error(accessor(reached, value, 'map[string]interface{}'))
    value = Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}

const accessor = (path: string, value: Json, wanted: string) =>
  `${path} accessor error: ${goPrint(value)} is of the type ${value === null ? '<nil>' : goTypeName(value)}, expected ${wanted}`

/** Warns about finalizers without a domain and a path, which may collide with those of other controllers. */
function crowded(object: KubeObject, old: KubeObject | undefined, _context: RulesContext): string[] {
  const before = new Set(old?.metadata.finalizers ?? [])
  return (object.metadata.finalizers ?? [])
    .filter((name) => !before.has(name) && !name.includes('/') && !CORE_FINALIZERS.has(name))
    .sort(byText)
    .map((name) => {
      const path = name.includes('.') ? ' including a path (/)' : ''
      return `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`
    })
}

const CORE_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])
