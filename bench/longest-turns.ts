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
import { at, type ServedKind, servedKinds, some, type TypeField, times, typeFields } from './hostile/type-fields.ts'
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

/** A list or map; texts and values of any type are `longest-texts.ts`'s. */
type LongField = TypeField & { readonly schema: Schema & { readonly type: 'list' | 'map' } }

const isLong = (field: TypeField): field is LongField => field.schema.type === 'list' || field.schema.type === 'map'

function blown({ path: at, schema }: LongField, bytes: number, which: Items): Json {
  const one = (i: number): Json => {
    if (schema.type === 'map') return some(schema.values, i)
    return some(schema.items, i, schema.listMapKeys ?? (at.at(-1) === 'ports' ? ['containerPort', 'port'] : ['name']))
  }
  const each = JSON.stringify(one(12_345)).length + (schema.type === 'map' ? 10 : 1)
  const n = Math.min(Math.floor(bytes / each), 480_000)
  const numbers = times(n, (i) => (which === 'other' ? i + 500_000 : which === 'reversed' ? n - 1 - i : i))
  return schema.type === 'map' ? Object.fromEntries(numbers.map((i) => [`k${i}`, one(i)])) : numbers.map(one)
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
function hostileBody({ group, version, kind }: ServedKind, field: LongField, items: Items): string {
  const apiVersion = group === '' ? version : `${group}/${version}`
  const object = validObject(kind, at(field.path, blown(field, BYTES, items)) as JsonObject)
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

async function measureField(kind: ServedKind, field: LongField): Promise<void> {
  const what = `${kind.kind} ${field.path.join('.')}`
  const body = hostileBody(kind, field, 'first')
  if (!(await measure(what, body, (api) => api.request('POST', kind.url, body)))) return
  for (const { by, items, method, contentType, query } of values.changes ? CHANGES : []) {
    const change = hostileBody(kind, field, items)
    await measure(`${what}, ${items} by ${by}`, change, (api) => api.request(method, `${kind.url}/a${query}`, change, contentType))
  }
  await (await probe.api()).request('DELETE', `${kind.url}/a`)
}

/** A status is written to an object that is there. */
async function measureStatus(kind: ServedKind, field: LongField): Promise<void> {
  const [what, url, name] = [`${kind.kind} ${field.path.join('.')}`, kind.url, { metadata: { name: 'a' } }]
  const api = await probe.api()
  await api.request('POST', url, JSON.stringify({ ...validObject(kind.kind, {}), ...name }))
  const status = blownStatus(field)
  await measure(what, status, (api) => api.request('PATCH', `${url}/a/status`, status, 'application/merge-patch+json'))
  await api.request('DELETE', `${url}/a?gracePeriodSeconds=0`)
}

const blownStatus = (field: LongField) => JSON.stringify(at(field.path, blown(field, BYTES, 'first')))

const seen = new Set<string>()
for (const kind of await servedKinds(await probe.api())) {
  if (!isBuiltinKind(kind.group, kind.version, kind.kind)) continue
  for (const field of typeFields(builtinSchema(kind.group, kind.version, kind.kind)(), [], seen)) {
    if (!isLong(field) || !isWanted(`${kind.kind} ${field.path.join('.')}`)) continue
    if (field.path[0] !== 'status') await measureField(kind, field)
    else if (kind.hasStatus) await measureStatus(kind, field)
  }
}
for (const [cpuMs, what] of rows.toSorted((a, b) => b[0] - a[0]).slice(0, Number(values.show)))
  console.log(cpuMs.toFixed(1).padStart(7), what)
