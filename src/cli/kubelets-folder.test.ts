import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { waitingPluginFolder } from './kubelets-folder.ts'

test('the folder of device plugins is taken by itself only where no kubelet is at home', async (t) => {
  const kubelet = mkdtempSync(path.join(os.tmpdir(), 'kubelet-'))
  t.after(() => rmSync(kubelet, { recursive: true }))
  const plugins = path.join(kubelet, 'device-plugins')
  assert.equal(await waitingPluginFolder(path.join(kubelet, 'nope')), undefined)
  assert.equal(await waitingPluginFolder(kubelet), undefined, 'nobody made it')
  mkdirSync(plugins)
  mkdirSync(path.join(kubelet, 'pod-resources'))
  writeFileSync(path.join(plugins, 'kubelet_internal_checkpoint'), '')
  assert.equal(await waitingPluginFolder(kubelet), plugins)

  const config = path.join(kubelet, 'config.yaml')
  writeFileSync(config, '')
  assert.equal(await waitingPluginFolder(kubelet), undefined, 'a kubelet that is stopped')
  rmSync(config)

  const server = createServer().listen(path.join(plugins, 'kubelet.sock'))
  await new Promise((resolve) => server.once('listening', resolve))
  assert.equal(await waitingPluginFolder(kubelet), undefined, 'somebody listens')
  await new Promise((resolve) => server.close(resolve))
  assert.equal(await waitingPluginFolder(kubelet), plugins)
})
