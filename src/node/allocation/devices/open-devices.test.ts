import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../../base/clock.ts'
import { silentLogger } from '../../../base/logger.ts'
import { SocketError } from '../../../sdk/grpc/serve-unix.ts'
import { deviceFolders } from '../../plugins/device-folders.ts'
import { createDeviceMetrics } from './device-metrics.ts'
import { openDevices } from './open-devices.ts'

/** Folders that do not exist yet, inside one that is removed afterwards. */
function openFolders() {
  const root = mkdtempSync(path.join(os.tmpdir(), 'dev-'))
  return { folders: deviceFolders(root), [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

const open = (folders: ReturnType<typeof deviceFolders>) =>
  openDevices(folders, {
    clock: systemClock,
    log: silentLogger,
    metrics: createDeviceMetrics(),
    notify: () => {},
    pods: () => [],
    pod: () => undefined,
  })

test('only the user can reach the sockets: the plugin folders have mode 700', async () => {
  using opened = openFolders()
  await using _devices = await open(opened.folders)
  const modes = Object.entries(opened.folders).map(([name, folder]) => [name, (statSync(folder).mode & 0o777).toString(8)])
  assert.deepEqual(Object.fromEntries(modes), { plugins: '700', registry: '700', podResources: '700' })
})

test('a folder in use by another agent is refused, and the first agent continues', async () => {
  using opened = openFolders()
  await using _first = await open(opened.folders)
  await assert.rejects(open(opened.folders), SocketError)
  assert.equal(statSync(path.join(opened.folders.plugins, 'kubelet.sock')).isSocket(), true)
})
