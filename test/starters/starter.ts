import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { type Ended, runProgram } from '../run-program.ts'

export const root: string = path.join(import.meta.dirname, '..', '..')

/** The cache of a toolchain's downloads. */
export const kept: string = path.join(root, 'node_modules', '.cache', 'bowsprit-starters')

/** A folder with the examples of docs/starters.md in these files, `bowsprit` of the sources, and an empty folder for temporary files. */
export function starter(t: TestContext, ...files: readonly string[]) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'starter-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const page = readFileSync(path.join(root, 'docs', 'starters.md'), 'utf8')
  const examples = new Map([...page.matchAll(/^```\w+ starter (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => [file, code]))
  for (const file of files) writeFileSync(path.join(folder, file), examples.get(file) ?? assert.fail(`docs/starters.md shows no ${file}`))
  const bowsprit = path.join(folder, 'bowsprit')
  const main = path.join(root, 'src', 'cli', 'main.ts')
  writeFileSync(bowsprit, `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${main}' "$@"\n`)
  chmodSync(bowsprit, 0o755)
  const temporary = path.join(folder, 'tmp')
  mkdirSync(temporary)
  return {
    folder,
    run: (program: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
      runProgram(program, words, { cwd: folder, env: { BOWSPRIT: bowsprit, TMPDIR: temporary, KUBECONFIG: '', ...env } }),
    /** The clusters' folders that were not removed. */
    left: (): string[] => readdirSync(temporary).filter((name) => name.startsWith('bowsprit-')),
  }
}

/** Why a program is missing or too old for a test; undefined if it is usable. */
export async function lacks(program: string, ...words: string[]): Promise<string | undefined> {
  const ended = await runProgram(program, words, { timeoutMs: 240_000, env: { GOTOOLCHAIN: 'local' } }).catch((e: Error) => e)
  if (ended instanceof Error) return `${program} is not here`
  return ended.code === 0 ? undefined : `${program} ${words.slice(0, 2).join(' ')}: ${`${ended.err}${ended.out}`.trim().split('\n').at(-1)}`
}
