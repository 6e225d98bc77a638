/**
 * `node scripts/select-recordings.ts`: chooses, from the recordings of `../shared/upstream`, the seed in `test/recordings`, so
 * that a clone alone tests the product. Of the recorded cases it takes, in each file, those that show something that no case chosen before
 * shows: a verb, a code, a reason, a message with its names and numbers left out, a warning, a field that got a default. What holds
 * documentation (OpenAPI, `kubectl explain`) is left out. Run again when the recordings change.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { caseFiles, casePath } from '../test/recorded/case-files.ts'
import { allRecorded, upstream as from } from '../test/upstream.ts'

const root = path.join(import.meta.dirname, '..')
const to = path.join(root, 'test', 'recordings')

/** Taken whole: they are small, and each story is a rule. */
const WHOLE = [
  'replay.mjs',
  'access/run.mjs',
  'access/authorization.json',
  'kubectl/transcript.mjs',
  'scheduler/scenarios.json',
  'scheduler/extenders.json',
  'scheduler/config-errors.json',
  'node/devices.json',
  'node/node-object.json',
  'node/topology-merge.json',
  'node/cpu-memory.json',
  'node/kubelet-api.json',
  'node/pod-life.json',
  'controllers/behaviours.json',
  'etcd/encryption/errors.json',
  'etcd/encryption/values.json',
  ...globSync('etcd/encryption/configs/*.yaml', { cwd: from }).sort(),
  ...globSync('bootstrap/*.json', { cwd: from }).sort(),
]
/** Larger cases are not worth their bytes here; what machines made is large for what it shows. */
const LARGEST_CASE_BYTES = { byHand: 16_000, byMachine: 10_000 }
const LONGEST_STORY_BYTES = 8000
const MADE_BY_MACHINE = /^(create|update)\/|^cases-2\/(apply-sequences|owned-creates|owned-updates|patch-fuzz)\./

interface Step {
  readonly do?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly expect?: Readonly<Record<string, unknown>>
  readonly during?: readonly Step[]
}

interface Case {
  readonly id: string
  readonly steps: readonly Step[]
}

interface CaseFile {
  readonly cases: readonly Case[]
  readonly [field: string]: unknown
}

/** The second set comes last: of it the seed needs only what the first one does not show. */
function byHandFirst(a: string, b: string): number {
  const rank = (file: string) => (file.startsWith('cases-2/') ? 2 : 0) + (MADE_BY_MACHINE.test(file) ? 1 : 0)
  return rank(a) - rank(b) || (a < b ? -1 : 1)
}

/** What `npm run replay` has not counted yet is no measure of the product. */
function isCounted(file: string): boolean {
  return counts.includes(`\n${file}: `)
}

function copy(file: string): void {
  mkdirSync(path.dirname(path.join(to, file)), { recursive: true })
  writeFileSync(path.join(to, file), readFileSync(path.join(from, file)))
}

function selectCases(file: string): number {
  const document = JSON.parse(readFileSync(casePath(from, file), 'utf8')) as CaseFile
  const mostBytes = MADE_BY_MACHINE.test(file) ? LARGEST_CASE_BYTES.byMachine : LARGEST_CASE_BYTES.byHand
  const candidates = document.cases
    .map((c) => ({ c, text: JSON.stringify(c) }))
    .filter(({ text }) => text.length <= mostBytes && !hasDocumentation(text))
    .sort((a, b) => a.text.length - b.text.length)
  const chosen = new Set<Case>()
  for (const { c } of candidates) {
    const news = c.steps.flatMap((step) => shows(file, step)).filter((what) => !seen.has(what))
    if (news.length === 0) continue
    for (const what of news) seen.add(what)
    chosen.add(c)
  }
  if (chosen.size === 0) return 0
  const lines = document.cases.filter((c) => chosen.has(c)).map((c) => JSON.stringify(c))
  const { cases: _, ...head } = document
  const text = `${JSON.stringify(head).slice(0, -1)}${Object.keys(head).length > 0 ? ',' : ''}"cases":[\n${lines.join(',\n')}\n]}\n`
  mkdirSync(path.dirname(casePath(to, file)), { recursive: true })
  writeFileSync(casePath(to, file), text)
  return chosen.size
}

const hasDocumentation = (text: string) => /\/openapi\/|"swagger"|"openapi":/.test(text) || /"description":"[^"]{200}/.test(text)

/** What can be learnt from a step, each thing as a word. */
function shows(file: string, step: Step): string[] {
  const { expect = {}, during = [] } = step
  const body = (expect.body ?? {}) as { kind?: string; reason?: string; message?: string; details?: { causes?: Cause[] } }
  const machine = MADE_BY_MACHINE.test(file)
  const place = machine ? file : `${step.do} ${shape(step.path ?? '')}`
  const words = [`${place} ${expect.code} ${body.kind === 'Status' ? body.reason : ''}`]
  if (body.kind === 'Status') {
    const causes = body.details?.causes ?? []
    if (causes.length === 0) words.push(`says ${body.reason} ${shape(String(body.message))}`)
    for (const cause of causes)
      words.push(`fault ${cause.reason} ${shape(String(cause.message))} ${machine ? '' : shape(String(cause.field))}`)
  }
  if (typeof expect.text === 'string') words.push(`text ${shape(expect.text).slice(0, 200)}`)
  for (const warning of (expect.warnings ?? []) as string[]) words.push(`warns ${shape(warning)}`)
  if (!machine)
    words.push(`type ${expect.type}`, ...Object.keys(step.headers ?? {}).map((h) => `header ${h} ${step.headers?.[h]?.slice(0, 60)}`))
  return [...words, ...during.flatMap((s) => shows(file, s))]
}

interface Cause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

/** A text without what differs from case to case: quoted words, numbers, keys in brackets, names in paths. */
function shape(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\[[^\]]*\]/g, '[…]')
    .replace(/\b\d[\w.:-]*/g, '0')
    .replace(/\{[^}]*\}/g, '{…}')
    .replace(/(?<=namespaces\/)[^/?]+/g, '…')
}

/** The shorter stories of pods: each is one behaviour, the longer ones show several. */
function selectStories(): void {
  const file = 'node/pod-stories.json'
  const { stories, ...head } = JSON.parse(readFileSync(path.join(from, file), 'utf8')) as { stories: readonly unknown[] }
  const lines = stories.map((story) => JSON.stringify(story)).filter((text) => text.length <= LONGEST_STORY_BYTES)
  writeFileSync(path.join(to, file), `${JSON.stringify(head).slice(0, -1)},"stories":[\n${lines.join(',\n')}\n]}\n`)
}

/** Sessions without those that print documentation. */
function selectSessions(): void {
  const file = 'kubectl/sessions.json'
  const document = JSON.parse(readFileSync(path.join(from, file), 'utf8')) as { sessions: readonly unknown[] }
  const sessions = document.sessions.filter((session) => !/[" ]explain /.test(JSON.stringify(session)))
  mkdirSync(path.join(to, 'kubectl'), { recursive: true })
  const lines = sessions.map((session) => JSON.stringify(session))
  writeFileSync(path.join(to, file), `{"sessions":[\n${lines.join(',\n')}\n]}\n`)
}

if (!allRecorded) throw new Error(`no recordings at ${from}`)
rmSync(to, { recursive: true, force: true })
for (const file of WHOLE) copy(file)
selectSessions()
selectStories()
const seen = new Set<string>()
const counts = `\n${readFileSync(path.join(root, 'test', 'recorded', 'replay-counts.txt'), 'utf8')}`
// What was made by hand comes first: its cases are the richer ones.
const files = caseFiles(from).filter(isCounted).sort(byHandFirst)
let kept = 0
for (const file of files) kept += selectCases(file)
console.log(`${kept} cases of ${files.length} files`)
