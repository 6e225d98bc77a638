import { isObject, type KubeObject } from '../../machinery/object.ts'
import type { ResourceVersion } from '../../machinery/resource/definition.ts'
import type { Schema, StructSchema } from '../../machinery/schema/schema.ts'
import type { VersionFormat } from './older-version.ts'

type Fields = Readonly<Record<string, unknown>>

/** `apiextensions.k8s.io/v1beta1` CustomResourceDefinitions: schema, columns and subresources may be those of all versions. */
export const definitionFormat: VersionFormat = { schema, toNewer, toOlder }

/** Its spec has fields that `v1` does not have: anything is decoded. */
function schema({ schema: newer }: ResourceVersion): () => Schema {
  return () => {
    const { fields, required, name, openapiName, go } = newer() as StructSchema
    const spec = fields.get('spec')
    return {
      type: 'struct',
      fields: new Map([...fields, ...(spec ? [['spec', { ...spec, schema: { type: 'any' } }] as const] : [])]),
      required,
      ...(name !== undefined && { name }),
      ...(openapiName !== undefined && { openapiName }),
      ...(go !== undefined && { go }),
    }
  }
}

function toNewer(object: KubeObject): KubeObject {
  const { version, versions, validation, subresources, additionalPrinterColumns, preserveUnknownFields, ...spec } = specOf(object)
  const { conversion, ...others } = spec
  const given = Array.isArray(versions) && versions.length > 0 ? versions : [{ name: version, served: true, storage: true }]
  // Where unknown fields are kept, which was the default, schemas need not be structural.
  const isLoose = preserveUnknownFields !== false
  const newer = given.map((each: Fields) => ({
    ...each,
    schema: { openAPIV3Schema: rootSchema((each.schema ?? validation) as Fields | undefined, isLoose) },
    ...part('subresources', each.subresources ?? subresources),
    ...part('additionalPrinterColumns', columns(each.additionalPrinterColumns ?? additionalPrinterColumns, 'JSONPath', 'jsonPath')),
  }))
  return { ...object, spec: { ...others, versions: newer, ...part('conversion', newerConversion(conversion as Fields | undefined)) } }
}

function toOlder(object: KubeObject): KubeObject {
  const { versions, conversion, ...spec } = specOf(object)
  const given = (Array.isArray(versions) ? versions : []) as readonly Fields[]
  const older = given.map((each) => ({
    ...each,
    ...part('additionalPrinterColumns', columns(each.additionalPrinterColumns, 'jsonPath', 'JSONPath')),
  }))
  const [first] = older
  const common = older.length === 1 && first !== undefined ? hoisted(first) : { versions: older }
  return {
    ...object,
    spec: { ...spec, version: first?.name, ...common, ...part('conversion', olderConversion(conversion as Fields | undefined)) },
  }
}

/** What one version has is that of all. */
function hoisted(version: Fields): Fields {
  const { schema: validation, subresources, additionalPrinterColumns, ...rest } = version
  return {
    versions: [rest],
    ...part('validation', validation),
    ...part('subresources', subresources),
    ...part('additionalPrinterColumns', additionalPrinterColumns),
  }
}

const specOf = (object: KubeObject): Fields => (isObject(object.spec) ? object.spec : {})
const part = (name: string, value: unknown): Fields => (value === undefined || value === null ? {} : { [name]: value })

function columns(given: unknown, from: string, to: string): unknown {
  if (!Array.isArray(given)) return given
  return given.map(({ [from]: path, ...column }: Fields) => ({ ...column, [to]: path }))
}

function rootSchema(validation: Fields | undefined, isLoose: boolean): unknown {
  const root = typed(validation?.openAPIV3Schema ?? {})
  return isLoose && isObject(root) ? { ...root, type: 'object', 'x-kubernetes-preserve-unknown-fields': true } : root
}

/** A structural schema says of everything which type it has. */
function typed(given: unknown): unknown {
  if (!isObject(given)) return given
  const inner = {
    ...part('properties', isObject(given.properties) ? mapped(given.properties) : undefined),
    ...part('items', typed(given.items)),
    ...part('additionalProperties', typed(given.additionalProperties)),
  }
  return { ...given, ...inner, ...(isTyped(given) ? {} : typeFor(given)) }
}

const mapped = (properties: Fields) => Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, typed(of)]))

const isTyped = (given: Fields) =>
  given.type !== undefined || given['x-kubernetes-int-or-string'] === true || given['x-kubernetes-preserve-unknown-fields'] === true

function typeFor({ properties, additionalProperties, items }: Fields): Fields {
  if (properties !== undefined || additionalProperties !== undefined) return { type: 'object' }
  return items === undefined ? { 'x-kubernetes-preserve-unknown-fields': true } : { type: 'array' }
}

function newerConversion(given: Fields | undefined): Fields | undefined {
  if (given === undefined) return undefined
  const { webhookClientConfig: clientConfig, conversionReviewVersions, ...rest } = given
  if (clientConfig === undefined) return rest
  return { ...rest, webhook: { clientConfig, ...part('conversionReviewVersions', conversionReviewVersions) } }
}

function olderConversion(given: Fields | undefined): Fields | undefined {
  if (given === undefined || !isObject(given.webhook)) return given
  const { webhook, ...rest } = given
  const { clientConfig, conversionReviewVersions } = webhook as Fields
  return { ...rest, ...part('webhookClientConfig', clientConfig), ...part('conversionReviewVersions', conversionReviewVersions) }
}
