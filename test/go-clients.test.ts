/** client-go and controller-runtime with their defaults: the program in `go/`, built here where there is Go. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startCluster } from '../src/testing/start-cluster.ts'
import { runProgram } from './run-program.ts'

const PARTS = ['json', 'protobuf', 'same', 'metadata', 'leader election', 'controller-runtime']

test('client-go and controller-runtime work with their defaults', async (t) => {
  const program = await build()
  if (program.why !== undefined) return t.skip(program.why)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-go-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await using cluster = await startCluster()
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const { code, out, err } = await runProgram(program.file, [], { env: { KUBECONFIG: kubeconfig } })
  assert.deepEqual({ code, done: out.trim().split('\n') }, { code: 0, done: PARTS.map((p) => `ok ${p}`) }, err)
})

/** The program, built once and kept; or why it cannot be. */
async function build(): Promise<{ file: string; why?: string }> {
  const cache = path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'bowsprit-clients')
  const file = path.join(cache, 'go-clients')
  const go = (...args: string[]) =>
    runProgram('go', args, {
      cwd: path.join(import.meta.dirname, 'go'),
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
