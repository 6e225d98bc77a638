import { age } from '../machinery/human-duration.ts'
import type { KubeObject } from '../machinery/object.ts'
import type {
  Converter,
  PrinterColumn,
  ResourceDefinition,
  ResourceNames,
  ResourceRules,
  ReviewHandler,
  RowCondition,
  SelectableFields,
  Subresource,
  Verb,
} from '../machinery/resource/definition.ts'
import type { Schema } from '../machinery/schema/schema.ts'
import type { MetadataChecks } from '../machinery/validation/object-meta.ts'
import { fieldNotes } from './documentation.ts'
import { withGatedFields } from './pod/gated-fields.ts'
import type { PodSpec } from './pod/types.ts'
import { builtinSchema } from './schema.ts'

/** The definition of a built-in kind; omitted parts have defaults. */
export interface KindInit<T extends KubeObject = KubeObject> extends ResourceNames {
  readonly group: string
  /** In order of preference; the first is stored. Default `['v1']`. */
  readonly versions?: readonly string[]
  readonly scope?: 'Namespaced' | 'Cluster'
  readonly columns?: readonly ColumnInit<T>[]
  readonly rowConditions?: { conditionsOf(object: T): readonly RowCondition[] }['conditionsOf']
  readonly internalMetadata?: { metadataOf(object: T): KubeObject['metadata'] }['metadataOf']
  readonly internalZero?: ResourceDefinition['internalZero']
  readonly readBack?: { add(object: T): void }['add']
  readonly rowOrder?: { compare(a: T, b: T): number }['compare']
  readonly nameInErrors?: string
  readonly selectableFields?: SelectableFields<T>
  readonly deprecationWarning?: string
  readonly storedAs?: ResourceDefinition['storedAs']
  readonly convert?: Converter
  readonly verbs?: readonly Verb[]
  readonly rules?: ResourceRules<T>
  /** The pod's spec, of kinds with a pod or its template: fields behind feature gates that are off are removed from it. */
  readonly podSpec?: { specOf(object: T): PodSpec | undefined }['specOf']
  readonly subresources?: Readonly<Record<string, Subresource<T>>>
  readonly review?: ReviewHandler
  readonly ttlMs?: number
  /** How Kubernetes' own validation of this kind checks the metadata of an update again. Default `also-whole`. */
  readonly metadataChecks?: MetadataChecks
}

/** A column in a kind's file. `describes` is the schema field (`spec.type`) with the documentation of the column. */
export interface ColumnInit<T extends KubeObject = KubeObject> extends Pick<PrinterColumn<T>, 'cell'> {
  readonly name: string
  readonly type?: PrinterColumn['type']
  readonly format?: PrinterColumn['format']
  readonly priority?: number
  readonly description?: string | (() => string)
  readonly describes?: string
  readonly declared?: boolean
}

/** The `Name` column. */
export const NAME: ColumnInit = { name: 'Name', format: 'name', describes: 'metadata.name', cell: (o) => o.metadata.name ?? '' }
/** The `Age` column. */
export const AGE: ColumnInit = {
  name: 'Age',
  describes: 'metadata.creationTimestamp',
  cell: (o, now) => age(o.metadata.creationTimestamp, now),
}
/** Go's zero time, which the internal type of an object without a creation time has. */
const ZERO_TIME = '0001-01-01T00:00:00Z'

/** The columns of kinds without columns of their own. */
export const CREATED_AT: ColumnInit = {
  name: 'Created At',
  type: 'date',
  describes: 'metadata.creationTimestamp',
  cell: (o) => o.metadata.creationTimestamp ?? ZERO_TIME,
}
const DEFAULT_COLUMNS = [NAME, CREATED_AT]

/** The metadata of an internal type that has a field instead of an annotation. */
export const metadataWithout =
  (annotation: string) =>
  ({ metadata }: KubeObject): KubeObject['metadata'] => {
    const { annotations: { [annotation]: removed, ...others } = {}, ...rest } = metadata
    if (removed === undefined) return metadata
    return { ...rest, ...(Object.keys(others).length > 0 && { annotations: others }) }
  }

/** Makes the definition of a built-in kind; its rules get objects of type `T`. Schemas are read at first use. */
export function define<T extends KubeObject = KubeObject>(init: KindInit<T>): ResourceDefinition {
  const versions = init.versions ?? ['v1']
  const storageVersion = versions[0] ?? 'v1'
  const optional = {
    ...(init.storedAs && { storedAs: init.storedAs }),
    ...(init.convert && { convert: init.convert }),
    ...(init.readBack && { readBack: init.readBack }),
    ...(init.rowConditions && { rowConditions: init.rowConditions }),
    ...(init.internalMetadata && { internalMetadata: init.internalMetadata }),
    ...(init.internalZero && { internalZero: init.internalZero }),
    ...(init.rowOrder && { rowOrder: init.rowOrder }),
    ...(init.nameInErrors && { nameInErrors: init.nameInErrors }),
    ...(init.verbs && { verbs: init.verbs }),
    ...(init.subresources && { subresources: mapValues(init.subresources, withMetadataChecks) }),
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
    rules: { ...rulesOf(init), metadataChecks: init.metadataChecks ?? 'also-whole' },
    ...optional,
  }
}

const rulesOf = <T extends KubeObject>({ rules = {}, podSpec }: KindInit<T>): ResourceRules<T> =>
  podSpec === undefined ? rules : withGatedFields(rules, podSpec)

/**
 * A subresource with a validation of its own validates metadata less often: a write of the status as an update, a write of another part not
 * at all.
 */
function withMetadataChecks(subresource: Subresource): Subresource {
  if (subresource.kind !== 'status' && subresource.kind !== 'part') return subresource
  const { rules } = subresource
  if (rules?.validateUpdate === undefined) return subresource
  return { ...subresource, rules: { metadataChecks: subresource.kind === 'part' ? 'not' : 'as-update', ...rules } }
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
    ...(init.declared === false && { declared: false }),
    get description() {
      if (init.describes) return fieldDescription(schema(), init.describes)
      return typeof init.description === 'function' ? init.description() : (init.description ?? '')
    },
  }
}

/** The documentation of the field at a dotted path, through lists and maps. */
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
