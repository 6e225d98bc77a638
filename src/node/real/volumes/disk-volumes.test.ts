import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import type { Pod } from '../../types/pod.ts'
import { podFolders } from '../pod-folders.ts'
import { DiskVolumes, type DiskVolumesDeps } from './disk-volumes.ts'

const mount = (name: string) => ({ name, mountPath: `/${name}` })
const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u' },
  spec: {
    containers: [{ name: 'main', image: 'app', volumeMounts: [mount('slow'), mount('work')] }],
    volumes: [
      { name: 'slow', flexVolume: { driver: 'example.com/slow' } },
      { name: 'work', emptyDir: {} },
    ],
  },
  status: {},
}

function setUp(root: string, flexMount: () => Promise<string>): DiskVolumes {
  const none = () => Promise.reject(new Error('not used'))
  const deps: DiskVolumesDeps = {
    source: { read: none },
    clock: new VirtualClock(),
    issueToken: none,
    hostIp: '',
    podIps: [],
    nodeName: 'node-1',
    mounts: { tmpfs: none, hugePages: none, bind: none, nfs: none, unmount: none, below: async () => [] },
    folders: podFolders({ root, logs: root, containerLogs: root }, { uid: 'u', name: 'web', namespace: 'default' }),
    csi: { mount: none, map: none, stats: none },
    flex: { mount: flexMount },
    recordMapped: () => {},
    grow: none,
    memoryBytes: 0,
  }
  return new DiskVolumes(pod, deps)
}

test('a driver that is slow is called once at a time, and no other volume waits for it', async (t) => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-volumes-'))
  t.after(() => rmSync(root, { recursive: true }))
  const mounted = Promise.withResolvers<string>()
  let calls = 0
  const volumes = setUp(root, () => {
    calls++
    return mounted.promise
  })
  const attempts = [volumes.setUp(), volumes.setUp()]
  const work = path.join(root, 'pods/u/volumes/kubernetes.io~empty-dir/work')
  await t.waitFor(() => stat(work))
  assert.equal(calls, 1)
  mounted.resolve('/mounted')
  assert.deepEqual(await Promise.all(attempts), [[], []])
  assert.equal(calls, 1)
})

test('a volume that failed is tried again, with its fault in the words of the kubelet', async (t) => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-volumes-'))
  t.after(() => rmSync(root, { recursive: true }))
  let calls = 0
  const volumes = setUp(root, () => (calls++ === 0 ? Promise.reject(new Error('busy')) : Promise.resolve('/mounted')))
  assert.deepEqual(await volumes.setUp(), ['MountVolume.SetUp failed for volume "slow" : busy'])
  assert.deepEqual(await volumes.setUp(), [])
})
