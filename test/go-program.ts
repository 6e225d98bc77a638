import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { runProgram } from './run-program.ts'

/** Builds the Go program of a folder once, cached by the folder's name; or returns why it cannot. */
export async function goProgram(folder: string): Promise<{ file: string; why?: string }> {
  const cache = path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'bowsprit-clients')
  const file = path.join(cache, path.basename(folder))
  const go = (...args: string[]) =>
    runProgram('go', args, {
      cwd: folder,
      env: { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' },
      timeoutMs: 240_000,
    })
  const version = await go('version').catch(() => undefined)
  if (version === undefined || version.code !== 0) return { file, why: 'Go is not here' }
  const modules = await go('mod', 'download')
  if (modules.code !== 0) return { file, why: `the Go modules cannot be had here: ${modules.err.split('\n')[0]}` }
  mkdirSync(cache, { recursive: true })
  const { code, err } = await go('build', '-o', file, '.')
  if (code === null) return { file, why: 'the Go compiler took too long' }
  assert.equal(code, 0, err)
  return { file }
}
