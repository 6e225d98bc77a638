import { cloneJson, isObject, type KubeObject } from '../../../machinery/object.ts'
import type { CustomResourceDefinition, JSONSchemaProps } from '../../../resources/types/apiextensions.ts'

/** Another value for a field of a sample. */
export interface FieldChange {
  /** `spec.size` */
  readonly path: string
  readonly value: unknown
  /** The sample with that value; a value of undefined leaves the field out. */
  readonly object: KubeObject
  /** The value may be refused by the API server, or impossible for the cluster to satisfy: what follows it is taking it back. */
  readonly bad: boolean
}

type Path = readonly string[]

interface Candidate {
  readonly value: unknown
  readonly bad?: boolean
}

/** A recursive or endless schema is followed no deeper. */
const DEEPEST = 6
/** Fields beyond these are left alone: a pod template alone has thousands. */
const MOST_FIELDS = 400
/** No node has such a label. */
const NOWHERE = { 'trial.bowsprit.dev/nowhere': 'true' }

/** For each field of the schema, the values that may matter: more and less, on and off, set and unset, and what cannot be satisfied. */
export function fieldChanges(sample: KubeObject, definition: CustomResourceDefinition): FieldChange[] {
  const version = sample.apiVersion.split('/').at(-1)
  const schema = definition.spec.versions.find((v) => v.name === version)?.schema?.openAPIV3Schema?.properties?.spec
  if (schema === undefined) return []
  const fields = leavesOf(schema, ['spec'], sample).slice(0, MOST_FIELDS)
  return fields.flatMap(({ path, schema: of, required }) =>
    candidates(of, valueAt(sample, path), required, path).map(({ value, bad = false }) => ({
      path: path.join('.'),
      value,
      bad,
      object: withValue(sample, path, value),
    })),
  )
}

interface Leaf {
  readonly path: Path
  readonly schema: JSONSchemaProps
  readonly required: boolean
}

function leavesOf(schema: JSONSchemaProps, path: Path, sample: KubeObject): Leaf[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, of]) => {
    const at = [...path, name]
    const leaf = { path: at, schema: of, required: required.includes(name) }
    const inner = of.properties === undefined || at.length > DEEPEST || isSelector(name) ? [] : leavesOf(of, at, sample)
    // A part that is absent is switched on by its fields, one that is there can be switched off as a whole.
    return inner.length === 0 || (valueAt(sample, at) !== undefined && !leaf.required) ? [leaf, ...inner] : inner
  })
}

const isSelector = (name: string) => /^(nodeSelector|affinity)$/i.test(name)

function candidates(schema: JSONSchemaProps, now: unknown, required: boolean, path: Path): Candidate[] {
  const found = valuesOf(schema, now, path.at(-1) ?? '').filter(({ value }) => JSON.stringify(value) !== JSON.stringify(now))
  if (now !== undefined && !required) found.push({ value: undefined })
  if (schema.nullable === true && now !== null) found.push({ value: null })
  return found
}

function valuesOf(schema: JSONSchemaProps, now: unknown, name: string): Candidate[] {
  if (/nodeSelector$/i.test(name)) return [{ value: NOWHERE, bad: true }]
  if (/affinity$/i.test(name)) return [{ value: nowhereAffinity, bad: true }]
  if (schema.enum !== undefined) return schema.enum.map((value) => ({ value }))
  if (schema['x-kubernetes-int-or-string'] === true) return [{ value: typeof now === 'number' ? now + 1 : (now ?? 1) }]
  switch (schema.type) {
    case 'boolean':
      return [{ value: now !== true }]
    case 'integer':
    case 'number':
      return numbers(schema, now)
    case 'string':
      return [{ value: text(schema, now) }]
    case 'array':
      return Array.isArray(now) && now.length > 0 ? [{ value: now.slice(0, -1) }] : itemsOf(schema)
    case 'object':
      return schema.properties === undefined && schema.additionalProperties ? entriesOf(schema, now) : []
    default:
      return []
  }
}

const nowhereAffinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'trial.bowsprit.dev/nowhere', operator: 'Exists' }] }],
    },
  },
}

function numbers({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JSONSchemaProps, now: unknown): Candidate[] {
  const from = typeof now === 'number' ? now : minimum
  const inside = [from + 1, from - 1].filter((n) => n >= minimum && n <= maximum)
  return [...inside.map((value) => ({ value })), { value: minimum - 1, bad: true }]
}

/** A text of the same form: the number in it grows; else a letter is added. */
function text({ pattern, format }: JSONSchemaProps, now: unknown): unknown {
  if (typeof now !== 'string') return format === undefined && pattern === undefined ? 'x' : undefined
  const more = now.replace(/\d+/, (digits) => String(Number(digits) + 1))
  const other = more === now ? `${now}x` : more
  return pattern === undefined || new RegExp(pattern).test(other) ? other : now
}

function itemsOf({ items }: JSONSchemaProps): Candidate[] {
  const type = isObject(items) ? (items as JSONSchemaProps).type : undefined
  return type === 'string' ? [{ value: ['x'] }] : type === 'integer' ? [{ value: [1] }] : []
}

function entriesOf({ additionalProperties }: JSONSchemaProps, now: unknown): Candidate[] {
  const type = isObject(additionalProperties) ? (additionalProperties as JSONSchemaProps).type : undefined
  const known = isObject(now) ? now : {}
  const value = type === 'integer' ? 1 : type === 'boolean' ? true : type === 'string' ? 'y' : undefined
  return value === undefined ? [] : [{ value: { ...known, x: value } }]
}

function valueAt(object: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), object)
}

function withValue(sample: KubeObject, path: Path, value: unknown): KubeObject {
  const copy = cloneJson(sample)
  let at: Record<string, unknown> = copy as unknown as Record<string, unknown>
  for (const name of path.slice(0, -1)) {
    const inner = at[name]
    const next = isObject(inner) ? inner : {}
    at[name] = next
    at = next
  }
  const last = path.at(-1) ?? ''
  if (value === undefined) delete at[last]
  else at[last] = value
  return copy as KubeObject
}
