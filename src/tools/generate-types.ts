import {
  isIntOrString,
  itemsOf,
  preserves,
  propertiesOf,
  propertyOf,
  type SchemaProps,
  valuesOf,
} from '../machinery/structural/schema-props.ts'
import type { CustomResourceDefinition } from '../resources/apiextensions/types.ts'

/** TypeScript types of the objects of a definition, one interface a version, for use with the SDK's client. */
export function generateTypes(crd: CustomResourceDefinition): string {
  const { spec } = crd
  const out: string[] = []
  for (const version of spec.versions ?? []) {
    const schema = version.schema?.openAPIV3Schema ?? {}
    const name = (spec.versions ?? []).length === 1 ? spec.names.kind : `${spec.names.kind}${capital(version.name)}`
    out.push(
      ...comment(schema.description ?? `${spec.group}/${version.name} ${spec.names.kind}.`, ''),
      `export interface ${identifier(name)} {`,
      `  apiVersion: ${quote(`${spec.group}/${version.name}`)}`,
      `  kind: ${quote(spec.names.kind)}`,
      '  metadata: ObjectMeta',
    )
    for (const [property, props] of propertiesOf(schema)) {
      if (['apiVersion', 'kind', 'metadata'].includes(property)) continue
      out.push(...field(property, props, (schema.required ?? []).includes(property), '  '))
    }
    if (preserves(schema)) out.push('  [field: string]: unknown')
    out.push('}', '', `/** Where the client finds them. */`)
    const target = `{ group: ${quote(spec.group)}, version: ${quote(version.name)}, resource: ${quote(spec.names.plural)} }`
    out.push(`export const ${identifier(camel(name))}Resource = ${target} as const`, '')
    out.push(
      '/** The kind, for controllers. */',
      `export const ${identifier(camel(name))}Kind = kindOf<${identifier(name)}>(${kindText(crd, version)})`,
      '',
    )
  }
  return `${["import { kindOf, type ObjectMeta } from 'bowsprit/sdk'", '', ...out].join('\n').trimEnd()}\n`
}

function kindText(
  { spec }: CustomResourceDefinition,
  { name, schema }: { name: string; schema?: { openAPIV3Schema?: SchemaProps } },
): string {
  const status = propertyOf(schema?.openAPIV3Schema, 'status')
  const fields = [
    `group: ${quote(spec.group)}`,
    `version: ${quote(name)}`,
    `kind: ${quote(spec.names.kind)}`,
    `plural: ${quote(spec.names.plural)}`,
    ...(spec.scope === 'Cluster' ? ['namespaced: false'] : []),
    ...(propertyOf(status, 'observedGeneration') === undefined ? [] : ['observesGeneration: true']),
  ]
  return `{ ${fields.join(', ')} }`
}

function field(name: string, props: SchemaProps, required: boolean, indent: string): string[] {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
  return [
    ...comment(props.description, indent),
    `${indent}${key}${required ? '' : '?'}: ${typeText(props, indent)}${props.nullable === true ? ' | null' : ''}`,
  ]
}

function typeText(props: SchemaProps, indent: string): string {
  if (isIntOrString(props)) return 'number | string'
  if (
    props.enum !== undefined &&
    props.enum !== null &&
    props.enum.length > 0 &&
    props.enum.every((v) => v === null || typeof v !== 'object')
  )
    return props.enum.map((v) => (typeof v === 'string' ? quote(v) : String(v))).join(' | ')
  switch (props.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array': {
      const inner = typeText(itemsOf(props) ?? {}, indent)
      return / \| /.test(inner) ? `(${inner})[]` : `${inner}[]`
    }
    case 'object':
      return objectText(props, indent)
    default:
      return 'unknown'
  }
}

function objectText(props: SchemaProps, indent: string): string {
  const values = valuesOf(props)
  if (values !== undefined) return `Record<string, ${typeText(values, indent)}>`
  const properties = propertiesOf(props)
  if (properties.length === 0) return 'Record<string, unknown>'
  const inner = `${indent}  `
  const lines = properties.flatMap(([name, p]) => field(name, p, (props.required ?? []).includes(name), inner))
  if (preserves(props)) lines.push(`${inner}[field: string]: unknown`)
  return `{\n${lines.join('\n')}\n${indent}}`
}

function comment(text: string | undefined, indent: string): string[] {
  if (text === undefined || text.trim() === '') return []
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n')
  return lines.length === 1
    ? [`${indent}/** ${lines[0]} */`]
    : [`${indent}/**`, ...lines.map((l) => `${indent} * ${l}`.trimEnd()), `${indent} */`]
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
const capital = (text: string) => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`
const camel = (text: string) => `${text[0]?.toLowerCase() ?? ''}${text.slice(1)}`
const identifier = (text: string) => text.replace(/[^\w$]/g, '_').replace(/^(\d)/, '_$1')
