/**
 * Neighbours of the recorded cases: recorded requests with one field changed, sent to Kubernetes 1.36.3 (`replay.mjs --record`) because our
 * response once differed.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startCluster } from '../../src/testing/start-cluster.ts'

const run = promisify(execFile)
const neighbours = path.join(import.meta.dirname, '..', 'neighbours')

test("neighbours of recorded cases have Kubernetes' responses too", async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-neighbours-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await using cluster = await startCluster({ parts: ['server'] })
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const files = globSync('*.json', { cwd: neighbours }).map((name) => path.join(neighbours, name))
  assert.ok(files.length > 0)
  const program = path.join(import.meta.dirname, '..', 'recordings', 'replay.mjs')
  // It exits with 1 if a response differs, and prints which.
  const { stdout } = await run(process.execPath, [program, '--kubeconfig', kubeconfig, ...files]).catch((error) => error)
  assert.match(stdout, /\n\d+ passed, 0 failed\n$/)
})
