import assert from 'node:assert/strict'
import { test } from 'node:test'
import { container, dongles, openDeviceNode } from '../../testing/device-plugin-trial/trial-node.ts'
import type { OfferedDevice } from './device-plugin.ts'
import { serveDevicePlugin } from './serve-device-plugin.ts'

test('a plugin registers, sends updates, serves its allocations, and registers again with the next agent', async () => {
  await using node = await openDeviceNode()
  let devices: readonly OfferedDevice[] = [{ id: 'a' }, { id: 'b', numaNodes: [1] }]
  const started: string[] = []
  await using plugin = await serveDevicePlugin(
    {
      resource: 'example.com/dongle',
      discover: () => devices,
      allocate: (ids) => ({
        env: { DONGLES: ids.join(',') },
        devices: [{ hostPath: '/dev/null' }],
        mounts: [{ hostPath: '/srv', readOnly: true }],
        cdi: ['example.com/dongle=x'],
      }),
      prefer: ({ available }) => [...available].reverse(),
      preStart: (ids) => void started.push(...ids),
    },
    { folder: node.folders.plugins },
  )
  await plugin.registered
  await node.shows('2', '2')
  await node.create('one', dongles(1))
  await node.phase('one', 'Running')
  const [spec] = node.created
  assert.deepEqual(started, ['b'])
  assert.equal(spec?.environment.find((e) => e.name === 'DONGLES')?.value, 'b')
  assert.deepEqual(spec?.devices, [{ hostPath: '/dev/null', containerPath: '/dev/null', permissions: 'rw' }])
  assert.deepEqual(spec?.cdiDevices, ['example.com/dongle=x'])

  devices = [{ id: 'a', healthy: false }, { id: 'b' }, { id: 'c' }]
  await plugin.refresh()
  await node.shows('3', '2')

  await node.stop()
  await node.start()
  await node.shows('3', '2')
  assert.equal((await node.pod('one')).status?.phase, 'Running')
})

test('what a plugin cannot give refuses the pod; what it cannot find is sick', async () => {
  await using node = await openDeviceNode()
  let broken = false
  await using plugin = await serveDevicePlugin(
    {
      resource: 'example.com/dongle',
      discover() {
        if (broken) throw new Error('the bus is off')
        return [{ id: 'a' }]
      },
      allocate() {
        throw new Error('no key for it')
      },
    },
    { folder: node.folders.plugins },
  )
  await plugin.registered
  await node.shows('1', '1')
  await node.create('one', { containers: [container('main', 1)] })
  const { status } = await node.phase('one', 'Failed')
  assert.equal(
    status?.message,
    'Pod was rejected: Allocate failed due to rpc error: code = Unknown desc = no key for it, which is unexpected',
  )
  broken = true
  await plugin.refresh()
  await node.shows('1', '0')
})
