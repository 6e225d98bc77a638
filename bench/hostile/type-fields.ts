/** The fields of built-in kinds, and values for them that are as long as an object may be. */
import type { Json, JsonObject } from '../../src/machinery/object.ts'
import type { Schema } from '../../src/machinery/schema/schema.ts'
import type { Api } from '../api.ts'

export const times = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i))

/** An object of so many members: `k0`, `k1`, … */
export const members = <T>(n: number, f: (i: number) => T): Record<string, T> => Object.fromEntries(times(n, (i) => [`k${i}`, f(i)]))

export interface TypeField {
  /** Fields from the object on; a number is an item of a list. */
  readonly path: readonly string[]
  readonly schema: Schema
}

/** Every field of a type, but not those below a type that was seen on the way. */
export function* typeFields(schema: Schema, at: readonly string[], seen: Set<string>): Generator<TypeField> {
  if (schema.type !== 'struct') yield { path: at, schema }
  if (schema.type === 'list') yield* typeFields(schema.items, [...at, '0'], seen)
  if (schema.type === 'map') yield* typeFields(schema.values, [...at, 'a'], seen)
  if (schema.type !== 'struct') return
  const name = schema.openapiName ?? schema.name ?? ''
  if (name !== '' && seen.has(name)) return
  seen.add(name)
  for (const [field, { schema: below }] of schema.fields) yield* typeFields(below, [...at, field], seen)
}

/** A value of a type, different for each number, as small as may be. */
export function some(schema: Schema, i: number, keys?: readonly string[]): Json {
  switch (schema.type) {
    case 'list':
      return [some(schema.items, i)]
    case 'map':
      return { [`k${i}`]: some(schema.values, i) }
    case 'any':
      return i
    case 'scalar':
      return scalar(schema.scalar, i)
    case 'struct': {
      const fields = [...schema.fields].filter(([name]) => keys?.includes(name))
      const first = fields.length > 0 ? fields : [...schema.fields].filter(([, f]) => f.schema.type === 'scalar').slice(0, 1)
      return Object.fromEntries(first.map(([name, f]) => [name, some(f.schema, i)]))
    }
  }
}

function scalar(kind: string, i: number): Json {
  if (kind === 'string' || kind === 'int-or-string') return `a${i}`
  if (kind === 'bytes') return 'YQ=='
  if (kind === 'bool') return true
  if (kind === 'time') return '2026-01-01T00:00:00Z'
  if (kind === 'microtime') return '2026-01-01T00:00:00.000000Z'
  if (kind === 'duration') return '1s'
  return kind === 'quantity' ? `${i}` : i
}

/** The value at a path, as an object around it. */
export function at(path: readonly string[], value: Json): Json {
  const [first, ...rest] = path
  if (first === undefined) return value
  const below = at(rest, value)
  return first === '0' ? [below] : { [first]: below }
}

export interface ServedKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly url: string
  readonly hasStatus: boolean
}

/** The kinds of the preferred versions that can be created. */
export async function servedKinds(api: Api): Promise<ServedKind[]> {
  const get = async (url: string) => JSON.parse((await api.request('GET', url)).body.toString()) as JsonObject
  const groups = ((await get('/apis')).groups ?? []) as unknown as { preferredVersion: { groupVersion: string } }[]
  const found: ServedKind[] = []
  for (const base of ['/api/v1', ...groups.map((g) => `/apis/${g.preferredVersion.groupVersion}`)]) {
    const list = (await get(base)) as unknown as {
      groupVersion: string
      resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[]
    }
    const [version = '', group = ''] = list.groupVersion.split('/').reverse()
    for (const { name, kind, namespaced, verbs } of list.resources) {
      if (name.includes('/') || !verbs.includes('create')) continue
      const hasStatus = list.resources.some((other) => other.name === `${name}/status`)
      found.push({ group, version, kind, url: `${base}${namespaced ? '/namespaces/default' : ''}/${name}`, hasStatus })
    }
  }
  return found
}
