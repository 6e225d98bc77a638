/** client-go and controller-runtime with their defaults: the program in `go/`, built if Go is installed. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { goPrograms } from '../go-program.ts'
import { runProgram } from '../run-program.ts'

const PARTS = ['json', 'protobuf', 'same', 'metadata', 'leader election', 'controller-runtime']

test('client-go and controller-runtime work with their defaults', async (t) => {
  const program = await goPrograms('clients')
  if (program.why !== undefined) return t.skip(program.why)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-go-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await using cluster = await startCluster()
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const { code, out, err } = await runProgram(path.join(program.bin, 'clients'), [], { env: { KUBECONFIG: kubeconfig } })
  assert.deepEqual({ code, done: out.trim().split('\n') }, { code: 0, done: PARTS.map((p) => `ok ${p}`) }, err)
})
