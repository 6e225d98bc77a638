import { equalJson } from '../../machinery/equal.ts'
import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'

/**
 * CustomResourceDefinitions are stored as `apiextensions.k8s.io/v1beta1`, for reasons of history: what all versions have in common is
 * written once, beside them, and the version that was first has a field of its own.
 */
export const STORED_DEFINITION = 'apiextensions.k8s.io/v1beta1'
const SERVED_DEFINITION = 'apiextensions.k8s.io/v1'

/** What a version of v1 has, and under which name the spec of v1beta1 has it when all versions agree. */
const SHARED = {
  schema: 'validation',
  subresources: 'subresources',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
} as const
type SharedField = keyof typeof SHARED
const FIELDS = Object.keys(SHARED) as SharedField[]

/** The stored form of a definition of `v1`, with its fields in Go's order. */
export function storedDefinition(definition: JsonObject): JsonObject {
  const spec = objectOf(definition.spec)
  const versions = listOf(spec.versions)
  const [first = {}] = versions
  const common = FIELDS.filter((field) => versions.every((version) => equalJson(version[field] ?? null, first[field] ?? null)))
  const shared = Object.fromEntries(common.flatMap((field) => (first[field] === undefined ? [] : [[SHARED[field], first[field]]])))
  const { additionalPrinterColumns, selectableFields, ...early } = shared
  const { group, names, scope, conversion } = spec
  return present({
    ...definition,
    apiVersion: STORED_DEFINITION,
    spec: present({
      group,
      version: first.name,
      names,
      scope,
      ...early,
      versions: versions.map((version) => storedVersion(version, new Set(common))),
      additionalPrinterColumns: storedColumns(additionalPrinterColumns),
      selectableFields,
      conversion: storedConversion(objectOf(conversion)),
      preserveUnknownFields: spec.preserveUnknownFields ?? false,
    }),
  })
}

/** The definition of `v1` that is stored like this; what is missing has v1beta1's defaults. */
export function servedDefinition(stored: JsonObject): JsonObject {
  const spec = objectOf(stored.spec)
  const { version, validation, subresources, additionalPrinterColumns, selectableFields, versions, conversion, ...rest } = spec
  const shared = present({ schema: validation, subresources, additionalPrinterColumns, selectableFields })
  const list = listOf(versions)
  const all = list.length === 0 && version !== undefined ? [{ name: version, served: true, storage: true }] : list
  return {
    ...stored,
    apiVersion: SERVED_DEFINITION,
    spec: {
      ...rest,
      versions: all.map((one) => servedVersion({ ...one, ...shared })),
      conversion: servedConversion(objectOf(conversion)),
      // Only v1beta1 knew definitions without a structural schema, and they were its default.
      preserveUnknownFields: spec.preserveUnknownFields ?? true,
    },
  }
}

function storedVersion(version: JsonObject, common: ReadonlySet<SharedField>): JsonObject {
  const own = Object.fromEntries(Object.entries(version).filter(([field]) => !common.has(field as SharedField)))
  return present({ ...own, ...(own.additionalPrinterColumns && { additionalPrinterColumns: storedColumns(own.additionalPrinterColumns) }) })
}

const servedVersion = (version: JsonObject): JsonObject =>
  present({
    ...version,
    additionalPrinterColumns: renamed(version.additionalPrinterColumns, 'JSONPath', 'jsonPath'),
  })

const storedColumns = (columns: Json | undefined) => renamed(columns, 'jsonPath', 'JSONPath')

/** Columns with one field under another name. */
function renamed(columns: Json | undefined, from: string, to: string): Json | undefined {
  if (!Array.isArray(columns)) return undefined
  return listOf(columns).map(({ [from]: path, ...rest }) => present({ ...rest, [to]: path }))
}

function storedConversion({ strategy = 'None', webhook }: JsonObject): JsonObject {
  const { clientConfig, conversionReviewVersions } = objectOf(webhook)
  return present({ strategy, webhookClientConfig: clientConfig, conversionReviewVersions })
}

function servedConversion({ strategy = 'None', webhookClientConfig, conversionReviewVersions }: JsonObject): JsonObject {
  if (strategy !== 'Webhook') return { strategy }
  const versions = conversionReviewVersions ?? ['v1beta1']
  return { strategy, webhook: present({ clientConfig: webhookClientConfig, conversionReviewVersions: versions }) }
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value ?? null) ? (value as JsonObject) : {})
const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Without fields that are undefined. */
const present = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined))
