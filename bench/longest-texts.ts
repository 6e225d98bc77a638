/**
 * `node bench/longest-texts.ts [FILTER…] [--texts N] [--show ROWS] [--profile]`: for every field of every built-in kind that holds a text
 * (names, quantities, times, keys of maps, values of any type), objects in which that text is as long as an object may be, of N kinds of
 * characters; prints the longest turn of the event loop (processor time of the server's thread), worst first.
 */
import { parseArgs } from 'node:util'
import type { Json, JsonObject } from '../src/machinery/object.ts'
import { builtinSchema, isBuiltinKind } from '../src/resources/schema.ts'
import { at, type ServedKind, servedKinds, type TypeField, times, typeFields } from './hostile/type-fields.ts'
import { TurnProbe } from './turn-probe.ts'
import { validObject } from './valid-objects.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bytes: { type: 'string', default: '1450000' },
    texts: { type: 'string', default: '4' },
    show: { type: 'string', default: '40' },
    profile: { type: 'boolean', default: false },
  },
})
const BYTES = Number(values.bytes)
const isWanted = (what: string) => positionals.length === 0 || positionals.some((filter) => what.includes(filter))

/** What texts consist of: what parsers and expressions look for, so that one that goes back shows. */
const PIECES: readonly string[] = [
  ...['a', '0', ' ', '-', '.', '/', ',', ':', '%', '(', '[', '*', '\\', '\n', '"', '€'],
  ...[
    'a.',
    'a-',
    'a,',
    'a=b,',
    'a/',
    '../',
    '$(',
    '$(a)',
    '1.',
    '1e',
    '9h',
    '::',
    'a:b@',
    '{.',
    '{{',
    '0.0.0.0/',
    'http://a',
    'a||',
    '!a&&',
    '%41',
  ],
]

/** Values for a field that holds a text; undefined for others. */
function longValues({ schema }: TypeField, from: number): Json[] | undefined {
  const texts = times(Number(values.texts), (i) => {
    const piece = PIECES[(from + i * 7) % PIECES.length] ?? 'a'
    return piece.repeat(Math.floor(BYTES / JSON.stringify(piece).slice(1, -1).length / (piece === '€' ? 3 : 1)))
  })
  if (schema.type === 'map') return texts.map((text) => ({ [text]: schema.values.type === 'scalar' ? 'a' : {} }))
  if (schema.type === 'any') return texts
  if (schema.type !== 'scalar' || schema.scalar === 'bool') return undefined
  return /^(int|float|number)/.test(schema.scalar) && schema.scalar !== 'int-or-string' ? undefined : texts
}

function body({ group, version, kind }: ServedKind, path: readonly string[], value: Json): string {
  const apiVersion = group === '' ? version : `${group}/${version}`
  const object = validObject(kind, at(path, value) as JsonObject)
  return JSON.stringify({ apiVersion, kind, ...object, metadata: { name: 'a', ...(object.metadata as JsonObject | undefined) } })
}

/** Kubernetes' own 500s. */
const KNOWN = /etcdserver|target\.name: Required value/

const rows: (readonly [cpuMs: number, what: string])[] = []
await using probe = new TurnProbe({ profile: values.profile })
const seen = new Set<string>()
let count = 0
for (const kind of await servedKinds(await probe.api())) {
  if (!isBuiltinKind(kind.group, kind.version, kind.kind)) continue
  for (const field of typeFields(builtinSchema(kind.group, kind.version, kind.kind)(), [], seen)) {
    const what = `${kind.kind} ${field.path.join('.')}`
    const texts = longValues(field, count++)
    if (texts === undefined || !isWanted(what)) continue
    await measure(kind, field, what, texts)
  }
}
for (const [cpuMs, what] of rows.toSorted((a, b) => b[0] - a[0]).slice(0, Number(values.show)))
  console.log(cpuMs.toFixed(1).padStart(7), what)

async function measure(kind: ServedKind, field: TypeField, what: string, texts: readonly Json[]): Promise<void> {
  const answers: number[] = []
  const { turns, answer } = await probe.measure(what, async (api) => {
    for (;;) {
      const text = texts[answers.length]
      const sent = await api.request('POST', `${kind.url}?dryRun=All`, body(kind, field.path, text ?? null))
      answers.push(sent.status)
      if (sent.status >= 500 && !KNOWN.test(sent.body.toString('utf8', 0, 400)))
        console.log(`! ${what}: ${sent.status} ${sent.body.toString('utf8', 0, 300)}`)
      if (answers.length >= texts.length) return sent
    }
  })
  if (answer === undefined) console.log(`! ${what}: no answer`)
  const starts = texts.map((text) => JSON.stringify(text).slice(0, 12))
  rows.push([turns[0] ?? 0, `${what} ${turns.slice(0, 5).map(Math.round)} ${starts} ${answers}`])
}
