/** The PodResources socket of a node: finished pods, unhealthy devices, and the rate limit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { podResourcesSocket } from '../../src/node/plugins/device-folders.ts'
import { serveDevicePlugin } from '../../src/sdk/device-plugin/serve-device-plugin.ts'
import { connectUnix } from '../../src/sdk/grpc/connect-unix.ts'
import { POD_RESOURCES } from '../../src/sdk/node-api/pod-resources.ts'
import { dongles, openDeviceNode } from '../../src/testing/device-plugin-trial/trial-node.ts'

const limits = { timeoutMs: 10_000, signal: new AbortController().signal }

test('finished pods have no devices and can be queried; unhealthy devices are listed with their owners', async () => {
  await using node = await openDeviceNode()
  let sick = ''
  const ids = ['a', 'b', 'c']
  const resource = 'example.com/dongle'
  const discover = () => ids.map((id) => ({ id, healthy: id !== sick }))
  await using plugin = await serveDevicePlugin({ resource, discover }, { folder: node.folders.plugins })
  await plugin.registered
  await node.shows('3', '3')
  await node.create('ends', { ...dongles(1), restartPolicy: 'Never', activeDeadlineSeconds: 1 })
  await node.create('stays', dongles(1))
  await node.phase('stays', 'Running')
  await node.phase('ends', 'Failed')

  using connection = await connectUnix(podResourcesSocket(node.folders), { clock: systemClock })
  const get = (podName: string) => connection.call(POD_RESOURCES.get, { podName, podNamespace: 'default' }, limits)
  const list = async () => (await connection.call(POD_RESOURCES.list, {}, limits)).podResources
  const held = (reported: Awaited<ReturnType<typeof get>>['podResources']) =>
    reported?.containers.map((c) => [c.name, c.devices.flatMap((d) => d.deviceIds).length])
  await node.until('the pod that ended holds nothing', () => node.devices.manager.ledger.podUids().length === 1)
  assert.deepEqual(held((await get('ends')).podResources), [['main', 0]])
  assert.deepEqual(held((await get('stays')).podResources), [['main', 1]])
  await assert.rejects(get('nope'), { message: /pod nope in namespace default not found/ })
  assert.deepEqual(
    (await list()).map((p) => p.name),
    ['stays'],
  )

  sick = (await get('stays')).podResources?.containers[0]?.devices[0]?.deviceIds[0] ?? ''
  await plugin.refresh()
  await node.shows('3', '2')
  assert.equal((await get('stays')).podResources?.containers[0]?.devices[0]?.deviceIds[0], sick)
  const { devices } = await connection.call(POD_RESOURCES.getAllocatableResources, {}, limits)
  assert.deepEqual(
    devices.flatMap((d) => d.deviceIds),
    ids.filter((id) => id !== sick),
  )
})

test('a client above the rate limit gets an error, and others do not wait', async () => {
  await using node = await openDeviceNode()
  using connection = await connectUnix(podResourcesSocket(node.folders), { clock: systemClock })
  const answers = await Promise.allSettled(Array.from({ length: 200 }, () => connection.call(POD_RESOURCES.list, {}, limits)))
  const refused = answers.flatMap((a) => (a.status === 'rejected' ? [a.reason] : []))
  assert.ok(refused.length > 0 && refused.length <= 190, `${refused.length} of 200 were refused`)
  for (const error of refused) assert.match(String(error), /rejected by rate limit/)
})
