/**
 * `node bench/longest-turns.ts [FILTER…] [--bytes N] [--show ROWS] [--changes] [--profile]`: for every list and map in the types of every
 * built-in kind, an object in which that one is as long as an object may be, sent to a server of its own; prints the longest turn of the
 * event loop (processor time of the server's thread), worst first. `--changes` replaces and patches what was stored; `--profile` tells of
 * each longest turn what it was spent on. What a turn may cost depends on what the next field brings: no list is kept here.
 */
import { parseArgs } from 'node:util'
import type { Json, JsonObject } from '../src/machinery/object.ts'
import type { Schema } from '../src/machinery/schema/schema.ts'
import { builtinSchema, isBuiltinKind } from '../src/resources/schema.ts'
import type { Api, ApiResponse } from './api.ts'
import { TurnProbe } from './turn-probe.ts'
import { validObject } from './valid-objects.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bytes: { type: 'string', default: '1450000' },
    show: { type: 'string', default: '40' },
    changes: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
})
const BYTES = Number(values.bytes)
const isWanted = (what: string) => positionals.length === 0 || positionals.some((filter) => what.includes(filter))
const times = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i))

interface Place {
  /** Fields from the object on; a number is an item of a list. */
  readonly path: readonly string[]
  readonly schema: Schema & { readonly type: 'list' | 'map' }
}

/** Every list and map of a type, but not those below a type that was seen on the way. */
function* places(schema: Schema, at: readonly string[], seen: Set<string>): Generator<Place> {
  if (schema.type === 'list' || schema.type === 'map') {
    yield { path: at, schema }
    yield* places(schema.type === 'list' ? schema.items : schema.values, [...at, schema.type === 'list' ? '0' : 'a'], seen)
  }
  if (schema.type !== 'struct') return
  const name = schema.openapiName ?? schema.name ?? ''
  if (name !== '' && seen.has(name)) return
  seen.add(name)
  for (const [field, { schema: below }] of schema.fields) if (field !== 'status') yield* places(below, [...at, field], seen)
}

/** A value of a type, different for each number, as small as may be. */
function some(schema: Schema, i: number, keys?: readonly string[]): Json {
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

function blown({ path: at, schema }: Place, bytes: number, which: Items): Json {
  const one = (i: number): Json => {
    if (schema.type === 'map') return some(schema.values, i)
    return some(schema.items, i, schema.listMapKeys ?? (at.at(-1) === 'ports' ? ['containerPort', 'port'] : ['name']))
  }
  const each = JSON.stringify(one(12_345)).length + (schema.type === 'map' ? 10 : 1)
  const n = Math.min(Math.floor(bytes / each), 480_000)
  const numbers = times(n, (i) => (which === 'other' ? i + 500_000 : which === 'reversed' ? n - 1 - i : i))
  return schema.type === 'map' ? Object.fromEntries(numbers.map((i) => [`k${i}`, one(i)])) : numbers.map(one)
}

function at(path: readonly string[], value: Json): Json {
  const [first, ...rest] = path
  if (first === undefined) return value
  const below = at(rest, value)
  return first === '0' ? [below] : { [first]: below }
}

interface Kind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly url: string
}

async function kinds(api: Api): Promise<Kind[]> {
  const get = async (url: string) => JSON.parse((await api.request('GET', url)).body.toString()) as JsonObject
  const groups = ((await get('/apis')).groups ?? []) as unknown as { preferredVersion: { groupVersion: string } }[]
  const found: Kind[] = []
  for (const base of ['/api/v1', ...groups.map((g) => `/apis/${g.preferredVersion.groupVersion}`)]) {
    const list = (await get(base)) as unknown as {
      groupVersion: string
      resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[]
    }
    const [version = '', group = ''] = list.groupVersion.split('/').reverse()
    for (const r of list.resources)
      if (!r.name.includes('/') && r.verbs.includes('create'))
        found.push({ group, version, kind: r.kind, url: `${base}${r.namespaced ? '/namespaces/default' : ''}/${r.name}` })
  }
  return found
}

/** How a stored object is changed by one that is as long: of other items, or of the same ones in the other direction. */
const CHANGES = [
  { by: 'PUT', items: 'other', method: 'PUT', contentType: 'application/json', query: '' },
  { by: 'PUT', items: 'reversed', method: 'PUT', contentType: 'application/json', query: '' },
  { by: 'merge patch', items: 'other', method: 'PATCH', contentType: 'application/merge-patch+json', query: '' },
  { by: 'strategic merge patch', items: 'reversed', method: 'PATCH', contentType: 'application/strategic-merge-patch+json', query: '' },
  { by: 'apply', items: 'reversed', method: 'PATCH', contentType: 'application/apply-patch+yaml', query: '?fieldManager=other&force=true' },
] as const
type Items = 'first' | 'other' | 'reversed'

/** An object of the kind with one list or map as long as may be. */
function hostileBody({ group, version, kind }: Kind, place: Place, items: Items): string {
  const apiVersion = group === '' ? version : `${group}/${version}`
  const object = validObject(kind, at(place.path, blown(place, BYTES, items)) as JsonObject)
  return JSON.stringify({ apiVersion, kind, ...object, metadata: { name: 'a', ...(object.metadata as JsonObject | undefined) } })
}

const rows: (readonly [cpuMs: number, what: string])[] = []
await using probe = new TurnProbe({ profile: values.profile })

/** Measures one request; true if it succeeded. */
async function measure(what: string, body: string, send: (api: Api) => Promise<ApiResponse>): Promise<boolean> {
  const { turns, answer } = await probe.measure(what, send)
  if (answer === undefined) {
    console.log(`! ${what}: no answer`)
    return false
  }
  const message = answer.status < 300 ? '' : String((JSON.parse(answer.body.toString()) as JsonObject).message).slice(0, 60)
  if (answer.status >= 500 && !message.startsWith('etcdserver')) console.log(`! ${what}: ${answer.status} ${message}`)
  rows.push([turns[0] ?? 0, `${what} (${body.length >> 10} KiB) ${answer.status} ${turns.slice(0, 5).map(Math.round)} ${message}`])
  return answer.status < 300
}

async function measurePlace(kind: Kind, place: Place): Promise<void> {
  const what = `${kind.kind} ${place.path.join('.')}`
  const body = hostileBody(kind, place, 'first')
  if (!(await measure(what, body, (api) => api.request('POST', kind.url, body)))) return
  for (const { by, items, method, contentType, query } of values.changes ? CHANGES : []) {
    const change = hostileBody(kind, place, items)
    await measure(`${what}, ${items} by ${by}`, change, (api) => api.request(method, `${kind.url}/a${query}`, change, contentType))
  }
  await (await probe.api()).request('DELETE', `${kind.url}/a`)
}

const seen = new Set<string>()
for (const kind of await kinds(await probe.api())) {
  if (!isBuiltinKind(kind.group, kind.version, kind.kind)) continue
  for (const place of places(builtinSchema(kind.group, kind.version, kind.kind)(), [], seen))
    if (isWanted(`${kind.kind} ${place.path.join('.')}`)) await measurePlace(kind, place)
}
for (const [cpuMs, what] of rows.toSorted((a, b) => b[0] - a[0]).slice(0, Number(values.show)))
  console.log(cpuMs.toFixed(1).padStart(7), what)
