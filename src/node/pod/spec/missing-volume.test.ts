import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulatedHost } from '../../host/simulated-host.ts'
import type { Pod } from '../../types/pod.ts'
import { missingVolumes } from './missing-volume.ts'
import type { References } from './references.ts'

const NONE = {} as References

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n' },
  spec: {
    containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    volumes: [{ name: 'v', csi: { driver: 'x.csi.io' } }],
  },
  status: {},
}

for (const [rule, csiDrivers, faults] of [
  ['any driver mounts on a machine that names none', undefined, []],
  ['a driver that is named mounts', ['x.csi.io'], []],
  [
    'another one is not registered',
    ['y.csi.io'],
    [
      'MountVolume.SetUp failed for volume "v" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name x.csi.io not found in the list of registered CSI drivers',
    ],
  ],
] as const) {
  test(`CSI volumes: ${rule}`, async () => {
    assert.deepEqual(await missingVolumes(pod, NONE, createSimulatedHost({ csiDrivers })), faults)
  })
}
