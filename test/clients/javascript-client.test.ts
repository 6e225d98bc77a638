/** The JavaScript client of the Kubernetes project, in a process of its own. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fetchedPackage } from '../../scripts/fetched-package.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { fetched } from '../fetched.ts'
import { runProgram } from '../run-program.ts'

test('@kubernetes/client-node creates, patches, watches, follows and deletes', { skip: fetched('javascript-client') }, async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-javascript-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await using cluster = await startCluster()
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const program = path.join(import.meta.dirname, 'javascript-client.mjs')
  const { code, out, err } = await runProgram(process.execPath, [program, fetchedPackage('javascript-client')], {
    env: { KUBECONFIG: kubeconfig },
    timeoutMs: 60_000,
  })
  assert.deepEqual({ code, out }, { code: 0, out: 'created\nlisted\npatched\nwatched\nfollowed\nlogged\nrefused\ndeleted\n' }, err)
})
