import type { FieldError } from '../machinery/field-error.ts'
import { age } from '../machinery/human-duration.ts'
import { STRICT_ADDRESS_FAULTS } from '../machinery/ip-address.ts'
import type { KubeObject } from '../machinery/object.ts'
import type {
  Converter,
  PrinterColumn,
  ResourceDefinition,
  ResourceNames,
  ResourceRules,
  ReviewHandler,
  Subresource,
  Verb,
} from '../machinery/resource/definition.ts'
import type { Schema } from '../machinery/schema/schema.ts'
import { fieldNotes } from './documentation.ts'
import { builtinSchema } from './schema.ts'

/** What a built-in kind states about itself; the rest has defaults. */
export interface KindInit extends ResourceNames {
  readonly group: string
  /** In order of preference; the first is stored. `['v1']` when absent. */
  readonly versions?: readonly string[]
  readonly scope?: 'Namespaced' | 'Cluster'
  readonly columns?: readonly ColumnInit[]
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>
  readonly deprecationWarning?: string
  readonly storedAs?: ResourceDefinition['storedAs']
  readonly convert?: Converter
  readonly verbs?: readonly Verb[]
  readonly rules?: ResourceRules
  readonly subresources?: Readonly<Record<string, Subresource>>
  readonly review?: ReviewHandler
  readonly ttlMs?: number
  /**
   * How often Kubernetes' own validation of this kind looks at the metadata of an update, besides the server's: a fault is reported that often.
   * 1: as an update; 2 (the default): also as an object of its own; 0: not at all.
   */
  readonly metadataChecks?: 0 | 1 | 2
}

/** A column as written in a kind's file. `describes` names the schema field (`spec.type`) whose documentation the column shows. */
export interface ColumnInit {
  readonly name: string
  readonly cell: PrinterColumn['cell']
  readonly type?: PrinterColumn['type']
  readonly format?: PrinterColumn['format']
  readonly priority?: number
  readonly description?: string | (() => string)
  readonly describes?: string
}

/** The `Name` column. */
export const NAME: ColumnInit = { name: 'Name', format: 'name', describes: 'metadata.name', cell: (o) => o.metadata.name ?? '' }
/** The `Age` column. */
export const AGE: ColumnInit = {
  name: 'Age',
  describes: 'metadata.creationTimestamp',
  cell: (o, now) => age(o.metadata.creationTimestamp, now),
}
/** What kinds without columns of their own show. */
export const CREATED_AT: ColumnInit = {
  name: 'Created At',
  type: 'date',
  describes: 'metadata.creationTimestamp',
  cell: (o) => o.metadata.creationTimestamp ?? '',
}
const DEFAULT_COLUMNS = [NAME, CREATED_AT]

/** Makes the definition of a built-in kind. Schemas stay unread until they are used. */
export function define(init: KindInit): ResourceDefinition {
  const versions = init.versions ?? ['v1']
  const storageVersion = versions[0] ?? 'v1'
  const optional = {
    ...(init.storedAs && { storedAs: init.storedAs }),
    ...(init.convert && { convert: init.convert }),
    ...(init.verbs && { verbs: init.verbs }),
    ...(init.subresources && { subresources: mapValues(init.subresources, withRepeats) }),
    ...(init.review && { review: init.review }),
    ...(init.ttlMs !== undefined && { ttlMs: init.ttlMs }),
  }
  return {
    group: init.group,
    names: {
      kind: init.kind,
      plural: init.plural,
      singular: init.singular,
      ...(init.listKind && { listKind: init.listKind }),
      ...(init.shortNames && { shortNames: init.shortNames }),
      ...(init.categories && { categories: init.categories }),
    },
    scope: init.scope ?? 'Namespaced',
    versions: versions.map((version) => {
      const schema = builtinSchema(init.group, version, init.kind)
      return {
        version,
        served: true,
        schema,
        columns: (init.columns ?? DEFAULT_COLUMNS).map((c) => column(c, schema)),
        ...(init.selectableFields && { selectableFields: init.selectableFields }),
        ...(init.deprecationWarning && { deprecationWarning: init.deprecationWarning }),
      }
    }),
    storageVersion,
    rules: { ...withKeptAddresses(init.rules ?? {}), metadataRepeats: init.metadataChecks ?? 2 },
    ...optional,
  }
}

/** Addresses that stood in the object before may stay as they were written. */
function withKeptAddresses<R extends Partial<ResourceRules>>(rules: R): R {
  const { validateUpdate } = rules
  if (validateUpdate === undefined) return rules
  return { ...rules, validateUpdate: (object, old, context) => withoutKeptAddresses(validateUpdate(object, old, context), old) }
}

function withoutKeptAddresses(faults: readonly FieldError[], old: KubeObject): readonly FieldError[] {
  const strict = (fault: FieldError) => STRICT_ADDRESS_FAULTS.some((text) => fault.message.endsWith(text))
  if (!faults.some(strict)) return faults
  const before = JSON.stringify([old.spec, old.status, old.subsets])
  const value = (fault: FieldError) => /^Invalid value: ("(?:[^"\\]|\\.)*"):/.exec(fault.message)?.[1]
  return faults.filter((fault) => !strict(fault) || !before.includes(value(fault) ?? '\0'))
}

/** A subresource with a validation of its own repeats less: a write of the status looks at the metadata as any update does, other parts do not. */
function withRepeats(subresource: Subresource): Subresource {
  if (subresource.kind !== 'status' && subresource.kind !== 'part') return subresource
  const { rules } = subresource
  if (rules?.validateUpdate === undefined) return subresource
  if (subresource.kind === 'part') return { ...subresource, rules: { metadataRepeats: 0, ...rules } }
  return { ...subresource, rules: { metadataRepeats: 1, ...withKeptAddresses(rules) } }
}

function mapValues<T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

function column(init: ColumnInit, schema: () => Schema): PrinterColumn {
  return {
    name: init.name,
    type: init.type ?? 'string',
    format: init.format ?? '',
    priority: init.priority ?? 0,
    cell: init.cell,
    get description() {
      if (init.describes) return fieldDescription(schema(), init.describes)
      return typeof init.description === 'function' ? init.description() : (init.description ?? '')
    },
  }
}

/** The documentation of the field at a dotted path; lists and maps are looked into. */
function fieldDescription(schema: Schema, path: string): string {
  let at: Schema | undefined = schema
  let text = ''
  for (const name of path.split('.')) {
    while (at?.type === 'list' || at?.type === 'map') at = at.type === 'list' ? at.items : at.values
    if (at?.type !== 'struct') return ''
    text = fieldNotes(at.openapiName ?? '', name)
    at = at.fields.get(name)?.schema
  }
  return text
}
