import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NODES, PODS } from '../../src/resources/refs.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

test('described devices fail, recover, come and go on command; pods get them through the scheduler', async () => {
  const devices = { devices: [{ resource: 'example.com/dongle', count: 2, env: { DONGLES: '$(ids)' } }] }
  await using cluster = await startCluster({ nodes: 2, devices })
  const client = cluster.client()
  const amounts = async (name: string) => {
    const { status } = await client.get({ ...NODES, name })
    return `${status?.capacity?.['example.com/dongle']}/${status?.allocatable?.['example.com/dongle']}`
  }
  const shows = (name: string, text: string) => waitFor(async () => (await amounts(name)) === text, { what: `${name} shows ${text}` })
  await shows('node-1', '2/2')
  await shows('node-2', '2/2')
  const one = cluster.node('node-1').devices
  await one.fail('example.com/dongle-0')
  await shows('node-1', '2/1')
  await one.remove('example.com/dongle-1')
  await shows('node-1', '1/0')
  await one.recover('example.com/dongle-0')
  await one.add('example.com/dongle-1')
  await one.add('example.com/dongle-5')
  await shows('node-1', '3/3')
  await client.create({ ...PODS, namespace: 'default' }, pod('three', { resources: { 'example.com/dongle': '3' } }))
  const running = await waitFor(async () => {
    const seen = await client.get({ ...PODS, namespace: 'default', name: 'three' })
    return seen.status?.phase === 'Running' && seen
  })
  assert.equal(running.spec?.nodeName, 'node-1')
})
