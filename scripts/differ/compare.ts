import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runProgram } from '../../test/run-program.ts'
import type { Case } from './case.ts'

/** A case whose answers differ: with the real answers as its expectations, and the first difference. */
export interface Difference {
  readonly case: Case
  /** `step 2 PATCH /api/v1/… /body/spec/x: want 1, got 2` */
  readonly why: string
}

export interface Comparison {
  readonly differences: readonly Difference[]
  /** Requests whose answers were compared; those to which Kubernetes itself gave two answers are left out. */
  readonly requests: number
}

export interface Servers {
  /** Kubeconfigs. */
  readonly real: string
  readonly ours: string
  /** What words in braces mean in all cases. */
  readonly words?: Readonly<Record<string, string>>
  /** A folder for the files of the replay program. */
  readonly folder: string
  /** Ends the comparison with an error. */
  readonly signal?: AbortSignal
}

const PROGRAM = path.join(import.meta.dirname, '..', '..', 'test', 'recordings', 'replay.mjs')

/**
 * Sends the cases to both servers by the program that replays recordings, which also replaces ids, times, revisions and ports: it records
 * the real server's answers twice, drops the cases in which these differ, and compares ours with the rest.
 */
export async function compare(cases: readonly Case[], { real, ours, words = {}, folder, signal }: Servers): Promise<Comparison> {
  const file = path.join(folder, 'cases.json')
  const results = path.join(folder, 'results.json')
  writeFileSync(file, JSON.stringify({ managedFields: true, cases }))
  rmSync(results, { force: true })
  const given = Object.entries(words).flatMap(([name, value]) => ['--var', `${name}=${value}`])
  await replay(['--record', '--kubeconfig', real, ...given, file], signal)
  const said = await replay(['--kubeconfig', ours, ...given, '--json', results, '--show', '0', file], signal)
  // It also ends with 1 when a request fails.
  if (!existsSync(results)) throw new Error(`replay.mjs wrote no results: ${said}`)
  const recorded = (JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly Case[] }).cases
  const answers = JSON.parse(readFileSync(results, 'utf8')) as { id: string; ok: boolean; steps: number; why?: string }[]
  const whyById = new Map(answers.map(({ id, why }) => [id, why]))
  const differences = recorded.flatMap((c) => {
    const why = whyById.get(c.id)
    return why === undefined ? [] : [{ case: c, why }]
  })
  return { differences, requests: answers.reduce((sum, { steps }) => sum + steps, 0) }
}

async function replay(words: readonly string[], signal: AbortSignal | undefined): Promise<string> {
  const options = { timeoutMs: 590_000, ...(signal !== undefined && { signal }) }
  const { code, out, err } = await runProgram(process.execPath, [PROGRAM, '--jobs', '6', ...words], options)
  signal?.throwIfAborted()
  // 1: answers differ.
  if (code !== 0 && code !== 1) throw new Error(`replay.mjs ended with ${code}: ${out}${err}`)
  return `${out}${err}`
}
