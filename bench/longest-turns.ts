/**
 * `node bench/longest-turns.ts [FILTER] [--bytes N] [--show ROWS] [--profile]`: for every list and map in the types of every built-in kind,
 * an object in which that one is as long as an object may be, sent to a server of its own; prints the longest turn of the event loop
 * (processor time of the server's thread), worst first. `--profile` tells of each longest turn what it was spent on. What a turn may cost
 * depends on what the next field brings: nobody has to think of it here.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Json, JsonObject } from '../src/machinery/object.ts'
import type { Schema } from '../src/machinery/schema/schema.ts'
import { builtinSchema, isBuiltinKind } from '../src/resources/schema.ts'
import { type Api, openApi } from './api.ts'
import { appears, type Measured, startMeasured, wait } from './measured-cluster.ts'
import type { Profile } from './profile-parts.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bytes: { type: 'string', default: '1450000' },
    show: { type: 'string', default: '40' },
    profile: { type: 'boolean', default: false },
  },
})
const BYTES = Number(values.bytes)
const filter = positionals[0] ?? ''
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

function blown({ path: at, schema }: Place, bytes: number): Json {
  const one = (i: number): Json => {
    if (schema.type === 'map') return some(schema.values, i)
    return some(schema.items, i, schema.listMapKeys ?? (at.at(-1) === 'ports' ? ['containerPort', 'port'] : ['name']))
  }
  const each = JSON.stringify(one(12_345)).length + (schema.type === 'map' ? 10 : 1)
  const n = Math.min(Math.floor(bytes / each), 480_000)
  return schema.type === 'map' ? Object.fromEntries(times(n, (i) => [`k${i}`, one(i)])) : times(n, one)
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

/** A server that keeps silent so long is given up. */
const PATIENCE_MS = 30_000

async function start(): Promise<{ api: Api; server: Measured }> {
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data)
  const server = await startMeasured({
    folder: data,
    profile: 'profile',
    root: path.join(import.meta.dirname, '..'),
    nodes: 1,
    preload: ['turn-meter.ts'],
    env: { TURN_FILE: turns },
    silent: true,
  })
  await wait(1000)
  return { api: await openApi(server.kubeconfig, 1), server }
}

async function toggleProfile(): Promise<void> {
  server.child.kill('SIGUSR2')
  await wait(150)
}

/** The functions in which a stretch of time was spent, with what they called and alone. */
function tell(profile: Profile, begin: number, end: number): void {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)))
  const spent = new Map<string, [all: number, alone: number]>()
  let time = profile.startTime
  for (const [i, sample] of profile.samples.entries()) {
    const ms = (profile.timeDeltas[i] ?? 0) / 1000
    time += ms * 1000
    if (time < begin || time > end) continue
    const told = new Set<string>()
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = nodes.get(id)?.callFrame
      const name = `${frame?.functionName || '(anonymous)'} ${frame?.url.replace(/.*\/src\//, '')}:${(frame?.lineNumber ?? 0) + 1}`
      const sums = spent.get(name) ?? [0, 0]
      if (id === sample) sums[1] += ms
      if (!told.has(name)) sums[0] += ms
      told.add(name)
      spent.set(name, sums)
    }
  }
  const rows = [...spent].filter(([, [, alone]]) => alone > 1).toSorted(([, a], [, b]) => b[1] - a[1])
  for (const [name, [all, alone]] of rows.slice(0, 14))
    console.log(`${all.toFixed(0).padStart(6)} ${alone.toFixed(0).padStart(6)}  ${name}`)
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'turns-'))
const data = path.join(folder, 'data')
const turns = path.join(folder, 'turns')
writeFileSync(turns, '')
let { api, server } = await start()
const rows: (readonly [cpu: number, what: string])[] = []
try {
  const seen = new Set<string>()
  for (const k of await kinds(api)) {
    if (!isBuiltinKind(k.group, k.version, k.kind)) continue
    const apiVersion = k.group === '' ? k.version : `${k.group}/${k.version}`
    for (const place of places(builtinSchema(k.group, k.version, k.kind)(), [], seen)) {
      const what = `${k.kind} ${place.path.join('.')}`
      if (!what.includes(filter)) continue
      const object = at(place.path, blown(place, BYTES)) as JsonObject
      const metadata = { name: 'a', ...(object.metadata as JsonObject | undefined) }
      const body = JSON.stringify({ apiVersion, kind: k.kind, ...object, metadata })
      if (values.profile) await toggleProfile()
      const before = readFileSync(turns, 'utf8').length
      const failed = (error: unknown) => ({ status: 599, body: Buffer.from(JSON.stringify({ message: String(error) })) })
      const { status, body: answer } = await Promise.race([
        api.request('POST', k.url, body).catch(failed),
        wait(PATIENCE_MS).then(() => failed(`no answer in ${PATIENCE_MS} ms`)),
      ])
      if (status === 599) {
        console.log(`! ${what}: ${answer.toString().slice(0, 100)}`)
        server.child.kill('SIGKILL')
        api[Symbol.dispose]()
        ;({ api, server } = await start())
        continue
      }
      await wait(150)
      const made = readFileSync(turns, 'utf8').slice(before).trim().split('\n')
      const longest = made.map((line) => line.split(' ').map(Number)).sort((a, b) => (b[2] ?? 0) - (a[2] ?? 0))
      const cpu = longest.map((turn) => turn[2] ?? 0)
      if (values.profile) {
        await toggleProfile()
        const profile = JSON.parse(await appears(server.profileFile)) as Profile
        console.log(`--- ${what} ${cpu[0]} ms`)
        tell(profile, longest[0]?.[0] ?? 0, longest[0]?.[1] ?? 0)
        rmSync(server.profileFile)
      }
      const message = status < 300 ? '' : String((JSON.parse(answer.toString()) as JsonObject).message).slice(0, 60)
      if (status >= 500 && !message.startsWith('etcdserver')) console.log(`! ${what}: ${status} ${message}`)
      rows.push([cpu[0] ?? 0, `${what} (${body.length >> 10} KiB) ${status} ${cpu.slice(0, 5).map(Math.round)} ${message}`])
      if (status < 300) await api.request('DELETE', `${k.url}/a`)
    }
  }
} finally {
  server.child.kill()
  api[Symbol.dispose]()
  rmSync(folder, { recursive: true, force: true })
}
for (const [cpu, what] of rows.toSorted((a, b) => b[0] - a[0]).slice(0, Number(values.show))) console.log(cpu.toFixed(1).padStart(7), what)
