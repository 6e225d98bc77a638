import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../../base/exposition.ts'
import type { PodResourceClaimStatus } from '../../../resources/types/core.ts'
import type { Container, Pod } from '../../types/pod.ts'
import type { Claim } from './claim.ts'
import { claimOf, DRIVER, never, openClaims as open, podOf } from './claims-node.double.ts'
import { DriverDouble } from './drivers/driver-connection.double.ts'

const FAILED = 'Failed to prepare dynamic resources: prepare dynamic resources: '
const main = (pod: Pod): Container => pod.spec.containers[0] ?? { name: '', image: '' }

test('claims are made ready in one call a driver, shared by pods, and given back with the last of them', async () => {
  await using at = open([claimOf('a', ['one', 'two']), claimOf('b', ['one'])]).node
  const driver = new DriverDouble()
  at.drivers.add(DRIVER, driver.connection())
  const [one, two] = [podOf('one', ['a', 'b']), podOf('two', ['a'])]
  assert.equal(await at.beforeSandbox(one, never), undefined)
  assert.equal(await at.beforeSandbox(two, never), undefined)
  assert.deepEqual(at.additions(one, main(one)), { cdiDevices: ['example.com/gpu=a', 'example.com/gpu=b'] })
  await at.afterStop(one, never)
  await at.afterStop(two, never)
  await at.afterStop(two, never)
  assert.deepEqual(driver.requested, ['prepare a,b', 'unprepare b', 'unprepare a'])
  assert.throws(() => at.additions(two, main(two)), /internal error: unable to get claim info for ResourceClaim a in namespace default/)
})

test('two concurrent pods cause one call', async () => {
  await using at = open([claimOf('a', ['one', 'two'])]).node
  const driver = new DriverDouble()
  at.drivers.add(DRIVER, driver.connection())
  await Promise.all(['one', 'two'].map((name) => at.beforeSandbox(podOf(name, ['a']), never)))
  assert.deepEqual(driver.requested, ['prepare a'])
})

const generated = (pod: Pod, made: readonly PodResourceClaimStatus[]): Pod => ({
  ...pod,
  spec: { ...pod.spec, resourceClaims: [{ name: 'a', resourceClaimTemplateName: 't' }] },
  status: { resourceClaimStatuses: made },
})
const refusals: readonly (readonly [string, Pod, readonly Claim[], string])[] = [
  ['no such claim', podOf('p', ['a']), [], 'fetch ResourceClaim a: resourceclaims.resource.k8s.io "a" not found'],
  ['not reserved', podOf('p', ['a']), [claimOf('a', ['other'])], 'pod p (uid-p) is not allowed to use ResourceClaim a (uid-a)'],
  ['no driver', podOf('p', ['a']), [claimOf('a', ['p'], ['none.example.com'])], 'DRA driver none.example.com is not registered'],
  [
    'not allocated',
    podOf('p', ['a']),
    [{ ...claimOf('a', ['p']), status: { reservedFor: [{ uid: 'uid-p' }] } }],
    'ResourceClaim a: not allocated',
  ],
  ['not made yet', generated(podOf('p', []), []), [], 'pod "default/p": ResourceClaim not created yet'],
  [
    'somebody else has made it',
    generated(podOf('p', []), [{ name: 'a', resourceClaimName: 'a' }]),
    [claimOf('a', ['p'])],
    'ResourceClaim default/a was not created for Pod default/p (Pod is not owner)',
  ],
  ['the driver refuses', podOf('p', ['bad']), [claimOf('bad', ['p'])], 'NodePrepareResources failed for ResourceClaim bad: no such card'],
]
for (const [name, pod, claims, message] of refusals) {
  test(`a pod waits: ${name}`, async () => {
    const at = open(claims)
    await using node = at.node
    const driver = new DriverDouble()
    driver.refuses.set('bad', 'no such card')
    node.drivers.add(DRIVER, driver.connection())
    assert.equal(await at.event(pod), FAILED + message)
  })
}

test('responses that do not match the request are reported, and ignored', async () => {
  const at = open([claimOf('a', ['p'])])
  await using node = at.node
  const driver = new DriverDouble()
  node.drivers.add(DRIVER, driver.connection())
  const device = { requestNames: [], poolName: 'p', deviceName: 'd', cdiDeviceIds: ['../etc'], shareId: '' }
  driver.answer = { claims: new Map([['elsewhere', { devices: [], error: '' }]]) }
  assert.equal(await at.event(podOf('p', ['a'])), `${FAILED}NodePrepareResources returned result for unknown claim UID elsewhere`)
  driver.answer = { claims: new Map() }
  assert.equal(await at.event(podOf('p', ['a'])), `${FAILED}NodePrepareResources skipped 1 ResourceClaims`)
  driver.answer = { claims: new Map([['uid-a', { devices: [device], error: '' }]]) }
  assert.match((await at.event(podOf('p', ['a']))) ?? '', /a CDI device with the name "..\/etc"$/)
  driver.answer = undefined
  assert.equal(await at.event(podOf('p', ['a'])), undefined)
})

test('a claim that was made anew under the same name waits for the old one to be given back', async () => {
  const at = open([claimOf('a', ['one'])])
  await using node = at.node
  node.drivers.add(DRIVER, new DriverDouble().connection())
  assert.equal(await at.event(podOf('one', ['a'])), undefined)
  const again = claimOf('a', ['two'])
  at.objects.set('a', { ...again, metadata: { ...again.metadata, uid: 'new' } })
  assert.match((await at.event(podOf('two', ['a']))) ?? '', /old ResourceClaim with same name a and different UID uid-a still exists/)
  await node.afterStop(podOf('one', ['a']), never)
  assert.equal(await at.event(podOf('two', ['a'])), undefined)
})

test('after a restart pods keep their devices, claims are made ready again for new pods, and what the gone have left is given back', async () => {
  const first = open([claimOf('a', ['one', 'two']), claimOf('b', ['gone'])])
  const driver = new DriverDouble()
  first.node.drivers.add(DRIVER, driver.connection())
  const [one, two] = [podOf('one', ['a']), podOf('two', ['a'])]
  await first.node.beforeSandbox(one, never)
  await first.node.beforeSandbox(podOf('gone', ['b']), never)
  await first.node[Symbol.asyncDispose]()

  const second = open([claimOf('a', ['one', 'two'])], { text: first.file.text ?? '' })
  await using node = second.node
  assert.deepEqual(node.additions(one, main(one)), { cdiDevices: ['example.com/gpu=a'] })
  node.retain(new Set(['uid-one']))
  await second.clock.advance(1)
  assert.deepEqual(driver.requested.splice(0), ['prepare a', 'prepare b'])
  // The driver comes later than the agent.
  node.drivers.add(DRIVER, driver.connection())
  await second.clock.advance(1)
  await node.beforeSandbox(two, never)
  assert.deepEqual(driver.requested, ['unprepare b', 'prepare a'])
  assert.deepEqual(node.additions(two, main(two)), { cdiDevices: ['example.com/gpu=a'] })
})

test('what a driver offers is wiped at the start, and when it was away for half a minute', async () => {
  const at = open([])
  await using node = at.node
  const driver = new DriverDouble()
  await at.clock.advance(1)
  assert.deepEqual(at.wiped.splice(0), ['spec.nodeName=node-1'])
  node.drivers.add(DRIVER, driver.connection())
  driver.connected = false
  await at.clock.advance(29_000)
  driver.connected = true
  await at.clock.advance(60_000)
  assert.deepEqual(at.wiped, [])
  driver.connected = false
  await at.clock.advance(29_000)
  node.drivers.remove(DRIVER, 'double.sock')
  assert.deepEqual(at.wiped, [])
  await at.clock.advance(1_001)
  assert.deepEqual(at.wiped, ['spec.nodeName=node-1,spec.driver=gpu.example.com'])
})

test("the newest connected plugin of a driver is used; a second one may not use the first one's endpoint", async () => {
  const at = open([claimOf('a', ['p'])])
  await using node = at.node
  const [old, young] = [new DriverDouble(), new DriverDouble()]
  node.drivers.add(DRIVER, old.connection('old.sock'))
  node.drivers.add(DRIVER, young.connection('young.sock'))
  assert.throws(() => node.drivers.add(DRIVER, young.connection('old.sock')), {
    message: `endpoint old.sock already registered for DRA driver plugin ${DRIVER}`,
  })
  young.connected = false
  await at.event(podOf('p', ['a']))
  young.connected = true
  await node.afterStop(podOf('p', ['a']), never)
  assert.deepEqual([old.requested, young.requested], [['prepare a'], ['unprepare a']])
})

test('a pod that waits for a driver is retried when it registers', async () => {
  const at = open([claimOf('a', ['p'])])
  await using node = at.node
  assert.match((await at.event(podOf('p', ['a']))) ?? '', /is not registered$/)
  node.drivers.add(DRIVER, new DriverDouble().connection())
  assert.deepEqual(at.looked, ['uid-p'])
})

test("health is in the status by claim and request, until the driver's timeout", async () => {
  const at = open([claimOf('a', ['p'])])
  await using node = at.node
  const driver = new DriverDouble()
  driver.reportHealth(['of-a', 1], ['other', 2])
  node.drivers.add(DRIVER, driver.connection())
  const pod = podOf('p', ['a'], { resources: { claims: [{ name: 'a' }, { name: 'a', request: 'card' }, { name: 'a', request: 'none' }] } })
  await at.event(pod)
  await at.clock.advance(1)
  const resourceID = 'example.com/gpu=a'
  const shows = (health: string, message?: string) => {
    const resources = [{ resourceID, health, ...(message === undefined ? {} : { message }) }]
    assert.deepEqual(node.resourceHealth(pod, 'main'), [
      { name: 'claim:a', resources },
      { name: 'claim:a/card', resources },
    ])
  }
  shows('Healthy')
  driver.reportHealth(['of-a', 2, 60])
  await at.clock.advance(1)
  shows('Unhealthy', 'too hot')
  at.looked.length = 0
  await at.clock.advance(60_002)
  shows('Unknown')
  assert.deepEqual(at.looked, ['uid-p'])
})

test('an extended resource of a claim is given to the containers that it was allocated for', async () => {
  const at = open([claimOf('special', ['p'])])
  await using node = at.node
  node.drivers.add(DRIVER, new DriverDouble().connection())
  const limits = { 'example.com/gpu': '1' }
  const mapping = { containerName: 'main', resourceName: 'example.com/gpu', requestName: 'card' }
  const pod: Pod = {
    ...podOf('p', [], { resources: { limits } }),
    status: { extendedResourceClaimStatus: { resourceClaimName: 'special', requestMappings: [mapping] } },
  }
  assert.equal(await at.event(pod), undefined)
  assert.deepEqual(node.additions(pod, main(pod)), { cdiDevices: ['example.com/gpu=special'] })
  assert.equal(node.additions(pod, { name: 'other', image: 'app' }), undefined)
  assert.equal(node.accountsFor(pod, 'example.com/gpu'), true)
  assert.deepEqual(node.held(pod, main(pod))[0]?.claimResources[0]?.deviceName, 'of-special')
})

test('what is done and what is ready is counted under the names of the kubelet', async () => {
  const at = open([claimOf('a', ['p'])])
  await using node = at.node
  await at.event(podOf('p', ['a']))
  node.drivers.add(DRIVER, new DriverDouble().connection())
  await at.event(podOf('p', ['a']))
  const lines = exposition(node.metrics.families()).split('\n')
  const counts = lines.filter((line) => /_count|in_use\{/.test(line))
  const method = '/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources'
  assert.deepEqual(counts.sort(), [
    `dra_grpc_operations_duration_seconds_count{driver_name="${DRIVER}",grpc_status_code="OK",method_name="${method}"} 1`,
    'dra_operations_duration_seconds_count{is_error="false",operation_name="PrepareResources"} 1',
    'dra_operations_duration_seconds_count{is_error="true",operation_name="PrepareResources"} 1',
    'dra_resource_claims_in_use{driver_name="<any>"} 1',
    `dra_resource_claims_in_use{driver_name="${DRIVER}"} 1`,
  ])
  assert.ok(
    lines.some((line) => line.includes('le="0.1534127404634391"')),
    'the bounds are those of the kubelet',
  )
})
