import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { runProgram } from '../run-program.ts'
import { upstream } from '../upstream.ts'
import { withAgesOfToday } from './ages.ts'
import { casePath } from './case-files.ts'

/** The result of one recorded case. */
export interface Replayed {
  /** `create/core_v1_pods.json` */
  readonly file: string
  readonly id: string
  readonly ok: boolean
  /** The number of responses of the case, and how many of them agree. */
  readonly steps: number
  readonly right: number
  /** The first difference. */
  readonly why?: string
}

export interface ReplayOptions {
  readonly kubeconfig: string
  /** The cases of a file to replay; default all. */
  readonly chosen?: (file: string, id: string) => boolean
  readonly jobs?: number
}

/**
 * Replays the recorded cases of these files (`create/core_v1_pods.json`) against a server, folder by folder, each in a process of its own.
 */
export async function replayCases(files: readonly string[], options: ReplayOptions): Promise<readonly Replayed[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-replay-'))
  try {
    const all: Replayed[] = []
    // Definitions that are left behind appear in discovery: the folder that leaves some comes last.
    const inOrder = files.toSorted((a, b) => Number(a.startsWith('custom/')) - Number(b.startsWith('custom/')))
    for (const [group, members] of Map.groupBy(inOrder, (f) => path.dirname(f))) {
      const chosen = members.map((f) => select(f, folder, options)).filter((f) => f !== undefined)
      if (chosen.length > 0) all.push(...(await replayFolder(group, chosen, folder, options)))
    }
    return all
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The program ends the names of its namespaces with a random number of one to three characters, mostly three; a recorded message that
 * quotes the first bytes of a body depends on that length.
 */
const namesOfOneLength = `data:text/javascript,${encodeURIComponent('const random = Math.random; Math.random = () => 0.2 + 0.8 * random()')}`

async function replayFolder(group: string, files: readonly string[], folder: string, options: ReplayOptions): Promise<Replayed[]> {
  const answers = path.join(folder, 'answers.json')
  const { kubeconfig, jobs = 8 } = options
  const args = [
    '--import',
    namesOfOneLength,
    path.join(upstream, 'replay.mjs'),
    '--kubeconfig',
    kubeconfig,
    '--show',
    '0',
    '--jobs',
    String(jobs),
    '--json',
    answers,
  ]
  const { out, err } = await runProgram(process.execPath, [...args, ...files], { timeoutMs: 900_000 })
  if (!/\d+ passed, \d+ failed\n$/.test(out)) throw new Error(`replay.mjs did not end well on ${group}: ${out}${err}`)
  const results = JSON.parse(readFileSync(answers, 'utf8')) as Replayed[]
  return results.map((r) => ({ ...r, file: `${group}/${r.file}` }))
}

/** A copy with the chosen cases, whose old objects have the ages of today. */
function select(file: string, folder: string, { chosen = () => true }: ReplayOptions): string | undefined {
  const document = JSON.parse(withAgesOfToday(readFileSync(casePath(upstream, file), 'utf8'))) as { cases: { id: string }[] }
  const cases = document.cases.filter((c) => chosen(file, c.id))
  if (cases.length === 0) return undefined
  const copy = path.join(folder, file)
  mkdirSync(path.dirname(copy), { recursive: true })
  writeFileSync(copy, JSON.stringify({ ...document, cases }))
  return copy
}

/** `create/core_v1_pods.json: cases 69/70, answers 1306/1308` for each file, and the sum. */
export function replayCounts(results: readonly Replayed[]): string[] {
  const count = (name: string, of: readonly Replayed[]) => {
    const sum = (number: (r: Replayed) => number) => of.reduce((n, r) => n + number(r), 0)
    return `${name}: cases ${of.filter((r) => r.ok).length}/${of.length}, answers ${sum((r) => r.right)}/${sum((r) => r.steps)}`
  }
  const perFile = [...Map.groupBy(results, (r) => r.file)].sort(([a], [b]) => (a < b ? -1 : 1))
  return [...perFile.map(([file, of]) => count(file, of)), count('all', results)]
}
