import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Frame, Got, Row } from './recording.ts'

/** The differences between a response and the recorded one; empty if there are none. */
export function differences(row: Row, got: Got): string[] {
  return [
    ...(row.code === undefined || row.code === got.code ? [] : [`code ${got.code}, not ${row.code}: ${got.body.slice(0, 200)}`]),
    ...headerDifferences(row.headers ?? {}, got.headers),
    ...bodyDifferences(row, got.body),
    ...(row.frames === undefined ? [] : differ('frames', joined(row.frames), joined(got.frames ?? []))),
    ...(row.reviews === undefined ? [] : reviewDifferences(row.reviews, got.reviews)),
    ...listDifferences(row, got.body),
    ...metricDifferences(row, got.body),
  ]
}

/** Hop-by-hop headers, and those with times. */
const NOT_COMPARED = new Set(['connection', 'date', 'keep-alive', 'process-start-time-unix', 'last-modified'])

function headerDifferences(wanted: Readonly<Record<string, string>>, got: Readonly<Record<string, string>>): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const key = name.toLowerCase()
    // If a WebSocket has no common protocol, Go's library sends an empty header.
    if (NOT_COMPARED.has(key) || (got[key] ?? '') === value) return []
    return [`header ${name}: ${got[key] ?? 'none'}, not ${value}`]
  })
}

function bodyDifferences({ body }: Row, got: string): string[] {
  if (body === undefined) return []
  if (typeof body === 'object') return differ('body', scrub(body), scrub(parsed(got)))
  if (/^<\d+ bytes of JSON>$/.test(body)) return parsed(got) === undefined ? [`body is no JSON: ${got.slice(0, 100)}`] : []
  const cut = /^(.*)… <\d+ bytes>$/s.exec(body)
  const [wanted, shown] = [lines(cut?.[1] ?? body), lines(got)]
  if (cut === null) return differ('body', wanted, shown)
  // The last line may be cut off.
  return differ('body', wanted.slice(0, -1), shown.slice(0, wanted.length - 1))
}

/** Lines of text without what depends on the recording: folders, times, the program's language. */
const lines = (text: string): string[] =>
  text.split('\n').map((line) =>
    scrubText(line)
      .replace(/^((?:Started|Up|Go version|config): ).*/, '$1…')
      .replace(/^(config: ?)$/, 'config: …'),
  )

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The bytes of a channel are one stream, whatever the frames. */
function joined(frames: readonly Frame[]): JsonObject {
  const out: Record<string, string> = {}
  for (const { channel, data = '', text, close } of frames) {
    const key = channel !== undefined ? `channel ${channel}` : text !== undefined ? `text ${text[0]}` : 'close'
    const value = channel !== undefined ? data : text !== undefined ? text.slice(1) : String(close)
    out[key] = (out[key] ?? '') + scrubText(value.replace(/Date: [^\r]*/, 'Date: <date>'))
  }
  return out
}

/** The recorded kubelet cached some reviews: those that it created have to be created here, in the same order. */
function reviewDifferences(wanted: readonly JsonObject[], got: readonly JsonObject[]): string[] {
  const requested = got.map((r) => canonical(r))
  let from = 0
  for (const review of wanted) {
    const at = requested.indexOf(canonical(review), from)
    if (at < 0) return [`review not asked: ${canonical(review).slice(0, 300)}; asked: ${requested.join(' ').slice(0, 300)}`]
    from = at + 1
  }
  return []
}

const canonical = (review: JsonObject) => JSON.stringify(sorted(scrub(review) ?? null))

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v ?? null)]),
  )
}

/** Lists of pods: the list itself, one item, and that it has the pods of this test too. */
function listDifferences(row: Row, body: string): string[] {
  if (row.kind === undefined) return []
  const list = parsed(body) as { kind?: string; metadata?: JsonObject; items?: readonly JsonObject[] } | undefined
  const item = (name: string) => list?.items?.find((i) => (i.metadata as JsonObject | undefined)?.name === name)
  const ours = ['one', 'two', 'gone', 'crash', 'waits', 'rejected'].filter((n) => row.names?.includes(n))
  return [
    ...differ('kind', row.kind, list?.kind ?? null),
    ...differ(
      'names',
      ours,
      ours.filter((n) => item(n) !== undefined),
    ),
    ...(row.one === undefined ? [] : differ('one', scrub(row.one), scrub(item('one') ?? null))),
    ...(row.rejected === undefined
      ? []
      : differ('rejected', scrub(row.rejected), scrub((item('rejected')?.status as Json | undefined) ?? null))),
  ]
}

function metricDifferences(row: Row, body: string): string[] {
  if (row.metrics === undefined) return []
  const got = readMetrics(body)
  const own = row.example?.map(exampleOf)
  // No probe ran here, and no request was slow: a metric without samples is compared by its type only.
  const missing = Object.entries(row.metrics).flatMap(([name, { type, stability, labels }]) => {
    const found = got.families.get(name)
    if (found === undefined) return [`metric missing: ${name}`]
    if (found.type !== type || (stability !== undefined && found.stability !== stability))
      return [`metric ${name}: ${found.stability} ${found.type}, not ${stability} ${type}`]
    const reported = [...found.labels].sort()
    return reported.length === 0 && found.samples === 0 ? [] : differ(`labels of ${name}`, [...labels].sort(), reported)
  })
  const many = [...got.families.keys()].filter((name) => row.metrics?.[name] === undefined)
  const shown = new Set(body.split('\n').map(exampleOf))
  return [
    ...missing,
    ...(many.length > 0 ? [`metrics too many: ${many.join(' ')}`] : []),
    ...(own ?? []).filter((line) => !shown.has(line)).map((line) => `line missing: ${line}`),
  ]
}

const exampleOf = (line: string) =>
  line.replace(
    /^([a-z_]+(?:\{[^}]*\})?) \S+( \d+| <ms>)?$/,
    (_all, name: string, at?: string) => `${name} <value>${at === undefined ? '' : ' <ms>'}`,
  )

interface FoundFamily {
  type: string
  stability: string | undefined
  readonly labels: Set<string>
  samples: number
}

function readMetrics(text: string): { readonly families: ReadonlyMap<string, FoundFamily> } {
  const families = new Map<string, FoundFamily>()
  const of = (name: string) => {
    const found = families.get(name) ?? { type: '', stability: undefined, labels: new Set<string>(), samples: 0 }
    families.set(name, found)
    return found
  }
  for (const line of text.split('\n')) {
    const help = /^# HELP (\S+) (?:\[(\w+)\])?/.exec(line)
    const type = /^# TYPE (\S+) (\w+)/.exec(line)
    const sample = /^([a-zA-Z_:]+)(?:\{(.*)\})? \S+(?: \d+)?$/.exec(line)
    if (help !== null) of(help[1] ?? '').stability = help[2]
    else if (type !== null) of(type[1] ?? '').type = type[2] ?? ''
    else if (sample !== null) {
      const base = (sample[1] ?? '').replace(/_(bucket|sum|count)$/, '')
      const family = families.get(sample[1] ?? '') ?? of(base)
      family.samples++
      for (const [, label] of (sample[2] ?? '').matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g))
        if (label !== undefined && label !== 'le') family.labels.add(label)
    }
  }
  return { families }
}

function differ(what: string, wanted: Json | undefined, got: Json | undefined): string[] {
  if (isDeepStrictEqual(wanted, got)) return []
  const [a, b] = [JSON.stringify(sorted(wanted ?? null)), JSON.stringify(sorted(got ?? null))]
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const from = Math.max(0, at - 60)
  return [`${what}: wanted …${a.slice(from, at + 160)}… got …${b.slice(from, at + 160)}…`]
}

const TIMES = new Set([
  'startTime',
  'startedAt',
  'finishedAt',
  'lastTransitionTime',
  'creationTimestamp',
  'time',
  'kubernetes.io/config.seen',
])

function scrub(value: Json | undefined, name = ''): Json | undefined {
  if (value === undefined || value === null) return value
  if (TIMES.has(name)) return '<time>'
  if (name === 'uid') return '<uid>'
  if (name === 'resourceVersion') return '<rv>'
  if (name === 'containerID') return '<id>'
  if (name === 'podIP' || name === 'ip') return '<ip>'
  // The field manager is that of the recording's program.
  if (name === 'managedFields') return '<managed>'
  if (name === 'authentication.kubernetes.io/credential-id') return '<credential>'
  if (Array.isArray(value)) {
    const items = value.map((v) => scrub(v) ?? null)
    return name === 'conditions' || name === 'tolerations'
      ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items
  }
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value as JsonObject).map(([k, v]) => [k, scrub(v, k) ?? null]))
  if (typeof value === 'number') return value
  return typeof value === 'string' ? scrubText(value) : value
}

const scrubText = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|<sandbox-\d+>|<uid>/g, '<id>')
    // The client's address.
    .replace(/("X-Forwarded-For":\[\]string\{)"[\d.]+"/, '$1"<client>"')
    .replace(/10\.85\.0\.\d+|<podIP-\d+>/g, '<ip>')
    .replace(/kube-api-access-(?:[a-z0-9]{5}|<suffix>)/g, 'kube-api-access-<suffix>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|<time>/g, '<time>')
