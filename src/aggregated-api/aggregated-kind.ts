import { type FieldError, invalid } from '../machinery/field-error.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { ResourceDefinition, ResourceRules } from '../machinery/resource/definition.ts'
import type { SchemaProps } from '../machinery/structural/schema-props.ts'
import type { Column, CustomResourceDefinition, SelectableField, Subresources } from '../resources/apiextensions/types.ts'
import { customDefinition } from '../server/custom/custom-definition.ts'
import { AggregatedApiError } from './aggregated-api-error.ts'

/** A kind of an aggregated API: as in a CustomResourceDefinition, with rules in code. `T` is the type of its objects. */
export interface AggregatedKind<T extends KubeObject = KubeObject> {
  readonly kind: string
  /** The name in paths: `flunders`. */
  readonly plural: string
  /** Default: the kind in lower case. */
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** Default `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster'
  /**
   * The preferred version first, which is also the storage version. All versions have the same fields: use a webhook's or a controller's
   * logic where they differ.
   */
  readonly versions: readonly AggregatedVersion[]
  /** Objects are made by your code and read by clients: `api.computed(plural)`. Default false. */
  readonly computed?: boolean
  /** Fills in what the client left out, before validation; `old` is undefined for a create. The draft is yours to change. */
  prepare?(draft: T, old: Readonly<T> | undefined): void
  /** The errors of an object, besides those of its schema: field path and message. `old` is undefined for a create. */
  validate?(object: Readonly<T>, old: Readonly<T> | undefined): readonly AggregatedFault[]
}

/** An error of an object, returned to the client with 422. */
export interface AggregatedFault {
  /** `spec.reference` */
  readonly field: string
  readonly message: string
}

/** A version of a kind. */
export interface AggregatedVersion {
  /** `v1alpha1` */
  readonly name: string
  /**
   * An OpenAPI v3 schema, structural as in a CustomResourceDefinition: validation, defaults, list types, CEL rules. Default: anything goes.
   */
  readonly schema?: object
  /** Columns of `kubectl get`, besides the name. Default: the age. */
  readonly columns?: readonly Column[]
  /** `{ status: {} }`, `{ scale: … }`. Default: none. */
  readonly subresources?: Subresources
  /** Fields that `--field-selector` knows, besides name and namespace. */
  readonly selectableFields?: readonly SelectableField[]
}

/** The value by which the server serves a kind. */
export function kindDefinition(group: string, kind: AggregatedKind): ResourceDefinition {
  const [stored] = kind.versions
  if (stored === undefined)
    throw new AggregatedApiError('bad-kind', `the kind ${kind.kind} of ${group} has no versions: name at least one in \`versions\``)
  const names = {
    kind: kind.kind,
    plural: kind.plural,
    singular: kind.singular ?? kind.kind.toLowerCase(),
    listKind: `${kind.kind}List`,
    ...(kind.shortNames && { shortNames: [...kind.shortNames] }),
    ...(kind.categories && { categories: [...kind.categories] }),
  }
  const crd: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${group}`, uid: 'aggregated', generation: 1 },
    spec: {
      group,
      scope: kind.scope ?? 'Namespaced',
      names,
      versions: kind.versions.map((version) => versionOf(version, version === stored)),
    },
    status: {
      acceptedNames: names,
      storedVersions: [stored.name],
      conditions: [{ type: 'Established', status: 'True' }],
    },
  }
  const definition = customDefinition(crd)
  return {
    ...definition,
    rules: { ...definition.rules, ...ownRules(kind, definition.rules ?? {}) },
    ...(kind.computed === true && { verbs: ['get', 'list', 'watch'] as const }),
  }
}

const versionOf = ({ name, schema, columns, subresources, selectableFields }: AggregatedVersion, storage: boolean) => ({
  name,
  served: true,
  storage,
  ...(schema && { schema: { openAPIV3Schema: schema as SchemaProps } }),
  ...(columns && { additionalPrinterColumns: [...columns] }),
  ...(subresources && { subresources }),
  ...(selectableFields && { selectableFields: [...selectableFields] }),
})

/** The rules of the schema, and then the author's. */
function ownRules(kind: AggregatedKind, given: ResourceRules): Partial<ResourceRules> {
  const faults = (object: KubeObject, old: KubeObject | undefined): FieldError[] =>
    (kind.validate?.(object, old) ?? []).map(({ field, message }) => invalid(field, valueAt(object, field), message))
  return {
    prepareForCreate(draft, context) {
      given.prepareForCreate?.(draft, context)
      kind.prepare?.(draft, undefined)
    },
    prepareForUpdate(draft, old, context) {
      given.prepareForUpdate?.(draft, old, context)
      kind.prepare?.(draft, old)
    },
    validateCreate: (object, context) => [...(given.validateCreate?.(object, context) ?? []), ...faults(object, undefined)],
    validateUpdate: (object, old, context) => [...(given.validateUpdate?.(object, old, context) ?? []), ...faults(object, old)],
  }
}

function valueAt(object: Readonly<KubeObject>, path: string): unknown {
  let value: unknown = object
  for (const step of path.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return ''
    value = (value as Record<string, unknown>)[step]
  }
  return value
}
