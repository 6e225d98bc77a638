import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { FlexDrivers } from '../../sdk/flex-volume/flex-drivers.ts'
import { unmountFlexVolume } from './unmount-flex-volume.ts'

const root = mkdtempSync(path.join(os.tmpdir(), 'flex-'))
test.after(() => rmSync(root, { recursive: true, force: true }))

const REFUSES = `#!/bin/sh
case $1 in
init) echo '{"status":"Success"}';;
*) echo 'umount: not mounted'; exit 1;;
esac
`

function openVolume(pod: string, mounted: boolean) {
  const drivers = path.join(root, 'drivers', 'example.com~memory')
  const at = path.join(root, 'pods', pod, 'volumes', 'example.com~memory', 'data')
  for (const folder of [drivers, at]) mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(drivers, 'memory'), REFUSES)
  chmodSync(path.join(drivers, 'memory'), 0o755)
  const known = new FlexDrivers({ folder: path.join(root, 'drivers'), clock: systemClock, log: silentLogger })
  const mounts = { isMounted: async () => mounted, unmount: async () => {} }
  const volume = { driver: 'example.com/memory', name: 'data' }
  return { at, unmount: () => unmountFlexVolume(pod, volume, { root, drivers: known, mounts }) }
}

test('a driver that refuses is asked again while something is mounted or left', async () => {
  const mounted = openVolume('mounted', true)
  await assert.rejects(mounted.unmount(), /invalid character/)
  const left = openVolume('left', false)
  writeFileSync(path.join(left.at, 'file'), '')
  await assert.rejects(left.unmount(), /invalid character/)
})

test('an empty folder, as of an agent that was killed before the mount, goes although the driver refuses', async () => {
  const { at, unmount } = openVolume('empty', false)
  await unmount()
  assert.equal(existsSync(at), false)
})
