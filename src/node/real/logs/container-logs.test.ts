import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { ContainerLogs } from './container-logs.ts'

test('logs and links of pods that are not known any more go, those of others stay', async (t) => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'logs-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const folders = { root, logs: path.join(root, 'pods'), containerLogs: path.join(root, 'containers') }
  const logs = new ContainerLogs(folders)
  for (const uid of ['kept', 'gone']) {
    const owner = { pod: { namespace: 'default', name: `pod-${uid}`, uid }, name: 'main', attempt: 0, id: `containerd://${uid}` }
    mkdirSync(path.dirname(logs.pathOf(owner)), { recursive: true })
    writeFileSync(logs.pathOf(owner), '')
    await logs.link(owner)
  }
  // Of an agent that was killed while it removed logs, and of another program.
  const link = (target: string, name: string) => symlinkSync(target, path.join(folders.containerLogs, name))
  link(path.join(folders.logs, 'default_pod-lost_lost', 'main', '0.log'), 'pod-lost_default_main-lost.log')
  link(path.join(root, 'elsewhere'), 'other.log')
  mkdirSync(path.join(folders.logs, 'other'))
  await logs.retain(new Set(['kept']))
  assert.deepEqual(readdirSync(folders.logs), ['default_pod-kept_kept', 'other'])
  assert.deepEqual(readdirSync(folders.containerLogs), ['other.log', 'pod-kept_default_main-kept.log'])
})
