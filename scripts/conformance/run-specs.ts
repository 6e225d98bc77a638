import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { readReport, type Spec, suiteFlags } from './suite.ts'

/** How a spec ended; `slow`: not within its time. */
export type SpecState = 'passed' | 'failed' | 'skipped' | 'slow'

export interface SpecResult {
  readonly name: string
  readonly state: SpecState
  readonly seconds: number
  /** When it ended (ISO 8601), and the commit that it ran against; undefined: before that was written down. */
  readonly at?: string
  readonly commit?: string
  /** What the suite said, where it did not pass. */
  readonly why?: string
}

export interface RunOptions {
  readonly suite: string
  readonly kubeconfig: string
  /** For reports and logs; nothing stays. */
  readonly folder: string
  readonly seconds: number
  readonly lanes: number
  /** No spec begins later than so many minutes after the first. */
  readonly minutes: number
  /** Their entry in the results. */
  readonly commit: string
  readonly tell: (result: SpecResult) => void
}

/** Each in a process of its own: several at once, then those that must be alone. */
export async function runSpecs(specs: readonly Spec[], options: RunOptions): Promise<readonly SpecResult[]> {
  const results = new Map<string, SpecResult>()
  const endMs = performance.now() + options.minutes * 60_000
  const lane = async (waiting: Spec[]) => {
    for (let spec = waiting.shift(); spec !== undefined && performance.now() < endMs; spec = waiting.shift()) {
      const result = await runSpec(spec, options)
      results.set(spec.name, result)
      options.tell(result)
    }
  }
  const beside = specs.filter((s) => !s.serial)
  await Promise.all(Array.from({ length: options.lanes }, () => lane(beside)))
  await lane(specs.filter((s) => s.serial))
  return specs.flatMap((s) => results.get(s.name) ?? [])
}

/** So long may one that was too slow clean up. */
const CLEANING_MS = 30_000

let count = 0

async function runSpec(spec: Spec, { suite, kubeconfig, folder, seconds, commit }: RunOptions): Promise<SpecResult> {
  const began = performance.now()
  const base = path.join(folder, String(count++))
  const log = openSync(`${base}.log`, 'w')
  const only = spec.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const child = spawn(
    suite,
    [
      ...suiteFlags(kubeconfig),
      '--ginkgo.v',
      `--ginkgo.focus= ${only}$`,
      `--ginkgo.json-report=${base}.json`,
      `--ginkgo.timeout=${seconds * 2}s`,
    ],
    { cwd: folder, stdio: ['ignore', log, log] },
  )
  let late = false
  let killing: NodeJS.Timeout | undefined
  const timer = setTimeout(() => {
    late = true
    // It takes away what it made: its pods would be in the way of others.
    child.kill('SIGINT')
    killing = setTimeout(() => child.kill('SIGKILL'), CLEANING_MS)
  }, seconds * 1000)
  await new Promise((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  clearTimeout(killing)
  closeSync(log)
  const ended = { name: spec.name, seconds: (performance.now() - began) / 1000, at: new Date().toISOString(), commit }
  try {
    if (late) return { ...ended, state: 'slow', why: lastWords(`${base}.log`) }
    const report = readReport(`${base}.json`).find((r) => r.LeafNodeType === 'It' && r.State !== 'skipped')
    if (report === undefined) return { ...ended, state: 'skipped', why: 'the suite skips it here' }
    if (report.State === 'passed') return { ...ended, state: 'passed' }
    return { ...ended, state: 'failed', why: oneLine(report.Failure?.Message ?? lastWords(`${base}.log`)) }
  } catch {
    return { ...ended, state: 'failed', why: lastWords(`${base}.log`) }
  } finally {
    for (const ending of ['log', 'json']) rmSync(`${base}.${ending}`, { force: true })
  }
}

const lastWords = (file: string) =>
  oneLine(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((l) => l.trim() !== '')
      .slice(-3)
      .join(' '),
  )

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 400)
