import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { filesBeside } from './files-beside.ts'
import { withoutLinks } from './host-entries.ts'
import type { Bind } from './root-plan.ts'

test('volumes lie below one folder, and a kubeconfig leads to the API server as the service account', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'files-beside-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const source = path.join(folder, 'volume')
  mkdirSync(source)
  writeFileSync(path.join(source, 'token'), 'secret')
  const at = withoutLinks('/var/run/secrets/kubernetes.io/serviceaccount')
  const bind: Bind = { source, path: at, kind: 'directory', readOnly: true }
  const { BOWSPRIT_ROOT = '', KUBECONFIG = '' } = await filesBeside([bind], folder, { host: '127.0.0.1', port: '7' })
  assert.equal(readFileSync(path.join(BOWSPRIT_ROOT + at, 'token'), 'utf8'), 'secret')
  const { clusters, users } = JSON.parse(readFileSync(KUBECONFIG, 'utf8'))
  assert.deepEqual([clusters[0].cluster.server, users[0].user.tokenFile], ['https://127.0.0.1:7', `${source}/token`])
})

test('a pod without a token has no kubeconfig', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'files-beside-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  assert.deepEqual(Object.keys(await filesBeside([], folder, { host: '127.0.0.1', port: '7' })), ['BOWSPRIT_ROOT'])
})
