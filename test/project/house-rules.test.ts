/**
 * Rules of STYLE.md that a machine can check. `house-rules.json` has the number of remaining violations by room: a count may only fall.
 * `BOWSPRIT_LOWER=1 npm test -- test/project/house-rules.test.ts` writes lower counts.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'

const root = path.join(import.meta.dirname, '..', '..')
const listFile = path.join(import.meta.dirname, 'house-rules.json')
const allowed: Record<string, Record<string, number>> = JSON.parse(readFileSync(listFile, 'utf8'))

interface Source {
  readonly file: string
  readonly text: string
}

const sources: readonly Source[] = globSync('{src,test,bench,scripts}/**/*.ts', { cwd: root })
  .filter((file) => !/\/generated\/|^src\/resources\/types\/|^test\/recordings\//.test(file))
  .sort()
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }))

/** `src/node` of `src/node/pod/x.ts`; `test` of `test/api/x.ts`. */
const partOf = (file: string) => /^src\/[^/]+|^[^/]+/.exec(file)?.[0] ?? ''
/** `src/node/pod` of `src/node/pod/plan/x.ts`. */
const roomOf = (file: string) => /^src\/[^/]+\/[^/]+(?=\/)/.exec(file)?.[0] ?? partOf(file)

const TYPE = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm
const typesIn = ({ text }: Source) => [...text.matchAll(TYPE)].map((m) => m[1] ?? '')
const code = sources.filter(({ file }) => file.startsWith('src/') && !file.endsWith('.test.ts'))

/** Compares the violations with the list, room by room; writes lower counts if the environment asks for it. */
function holdAgainst(t: TestContext, rule: string, found: readonly { readonly room: string; readonly what: string }[]): void {
  const rooms = Object.groupBy(found, ({ room }) => room)
  const counts = Object.fromEntries(Object.entries(rooms).map(([room, list = []]) => [room, list.length]))
  const limits = allowed[rule] ?? {}
  const tooMany = Object.entries(rooms).filter(([room, list = []]) => list.length > (limits[room] ?? 0))
  assert.deepEqual(Object.fromEntries(tooMany.map(([room, list = []]) => [room, list.map(({ what }) => what)])), {}, rule)
  const mended = Object.keys(limits).filter((room) => (limits[room] ?? 0) > (counts[room] ?? 0))
  if (mended.length > 0) t.diagnostic(`${rule}: counts can be lowered for ${mended.join(', ')} (BOWSPRIT_LOWER=1)`)
  if (process.env.BOWSPRIT_LOWER === undefined) return
  allowed[rule] = counts
  writeFileSync(listFile, `${JSON.stringify(allowed, undefined, 2)}\n`)
}

test('no type is defined twice in a room', (t) => {
  const seen = new Map<string, string[]>()
  for (const source of code)
    for (const type of typesIn(source)) {
      const key = `${roomOf(source.file)}#${type}`
      seen.set(key, [...(seen.get(key) ?? []), source.file])
    }
  const twice = [...seen].filter(([, files]) => files.length > 1)
  holdAgainst(
    t,
    'types defined twice',
    twice.map(([key, files]) => ({ room: key.split('#')[0] ?? '', what: `${key.split('#')[1]}: ${files.join(', ')}` })),
  )
})

/** Shapes that are written by hand; `type Pod = Unchecked<core.Pod>` follows the generated one. */
const SHAPE = /^(?:export )?(?:declare )?(?:abstract )?(?:(?:interface|class) (\w+)|type (\w+) = (?!Unchecked|Omit<Unchecked|\w+\.\w+\b))/gm
const shapesIn = ({ text }: Source) => [...text.matchAll(SHAPE)].map((m) => m[1] ?? m[2] ?? '')

test("no hand-written shape has the name of one of Kubernetes' generated types", (t) => {
  const generated = globSync('src/resources/types/*.ts', { cwd: root }).map((file) => readFileSync(path.join(root, file), 'utf8'))
  const names = new Set(generated.flatMap((text) => typesIn({ file: '', text })))
  assert.ok(names.has('Pod'))
  const found = code.flatMap((source) =>
    shapesIn(source).flatMap((type) => (names.has(type) ? [{ room: partOf(source.file), what: `${type}: ${source.file}` }] : [])),
  )
  holdAgainst(t, "names of Kubernetes' types", found)
})

test('comments are at most 140 columns wide', (t) => {
  const found = sources.flatMap(({ file, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        line.length > 140 && /^\s*(\*|\/\/|\/\*)/.test(line) ? [{ room: partOf(file), what: `${file}:${i + 1}` }] : [],
      ),
  )
  holdAgainst(t, 'wide comments', found)
})

/** What a rule forbids in sources (tests and doubles excepted), with what to use instead. */
const FORBIDDEN: readonly (readonly [rule: string, pattern: RegExp, except: RegExp])[] = [
  [
    'no failure is ignored without a reason: `quiet(promise, why)`, `pause(clock, ms, signal)`',
    /\.catch\(\(\) => \{\}\)/,
    /^src\/base\/pause\.ts$/,
  ],
  ['no error of an emitter is ignored without a reason: `quietErrors(emitter, why)`', /\.on\('error', \(\) => (\{\}|undefined)\)/, /^$/],
  [
    'the end of a signal is heard by `onAbort`, `untilAborted`, `orAborted` or `limitedSignal`',
    /addEventListener\('abort'/,
    /^src\/base\//,
  ],
  ['no class extends String: V8 then runs `charCodeAt` of every string of the process four times slower', /\bextends String\b/, /^$/],
  [
    'a value that may come later is a `Later` (authors of extensions see the two types written out)',
    /\b(\w[\w<>[\], |]*?) \| Promise<\1>|Promise<(\w[\w<>[\], |]*?)> \| \2(?![\w<[])/,
    /^src\/(sdk|testing)\/|^src\/base\/steps\.ts$|^src\/node\/programs\/program\.ts$/,
  ],
]

for (const [rule, pattern, except] of FORBIDDEN)
  test(rule, () => {
    const found = code
      .filter(({ file }) => !except.test(file))
      .flatMap(({ file, text }) => text.split('\n').flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])))
    assert.deepEqual(found, [])
  })
