import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Clock, systemClock, VirtualClock } from '../../../../base/clock.ts'
import { answer, serveUnix } from '../../../../sdk/grpc/serve-unix.ts'
import { type ClaimReference, DRA_PLUGIN, type NodePrepareResourcesResponse } from '../../../../sdk/node-api/dra-plugin.ts'
import { waitFor } from '../../../../testing/wait-for.ts'
import { CALL_LIMIT_MS, connectDriver } from './driver-connection.ts'
import { serviceOf } from './driver-registry.ts'

const claim: ClaimReference = { namespace: 'default', name: 'a', uid: 'u' }
const never = new AbortController().signal
const device = { requestNames: ['card'], poolName: 'p', deviceName: 'd', cdiDeviceIds: ['a.com/b=c', 'a.com/b=e'], shareId: 's' }
const ready: NodePrepareResourcesResponse = {
  claims: new Map([
    ['u', { devices: [device, { ...device, requestNames: [], cdiDeviceIds: [], shareId: '' }], error: '' }],
    ['other', { devices: [], error: 'no' }],
  ]),
}

function socketIn(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dra-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'dra.sock')
}

const serve = (socket: string, clock: Clock, service: keyof typeof DRA_PLUGIN, reply: () => Promise<NodePrepareResourcesResponse>) =>
  serveUnix(socket, [answer(DRA_PLUGIN[service].prepare, reply)], { clock })

for (const service of ['v1.DRAPlugin', 'v1beta1.DRAPlugin'] as const) {
  test(`the responses of a driver of ${service} arrive unchanged over the socket`, async (t) => {
    const socket = socketIn(t)
    await using _ = await serve(socket, systemClock, service, async () => ready)
    using connection = await connectDriver(socket, service, systemClock)
    assert.deepEqual(await connection.prepare([claim], never), ready)
  })
}

test("the time limit of a driver's call is 45 seconds", async (t) => {
  const socket = socketIn(t)
  const clock = new VirtualClock(0, { patienceMs: 50 })
  await using _ = await serve(socket, clock, 'v1.DRAPlugin', () => new Promise(() => {}))
  using connection = await connectDriver(socket, 'v1.DRAPlugin', clock)
  const call = assert.rejects(connection.prepare([claim], never), { code: 'DeadlineExceeded' })
  await clock.advance(CALL_LIMIT_MS + 1)
  await call
  assert.equal(clock.now(), CALL_LIMIT_MS + 1)
})

test('the presence of a driver is reported without a call, and its replacement too', async (t) => {
  const socket = socketIn(t)
  using connection = await connectDriver(socket, 'v1.DRAPlugin', systemClock)
  const reported: boolean[] = []
  const stop = new AbortController()
  connection.watch((connected) => reported.push(connected), stop.signal)
  const until = (wanted: boolean) => waitFor(() => reported.at(-1) === wanted, { everyMs: 5, what: `connected: ${wanted}` })
  for (let i = 0; i < 2; i++) {
    await until(false)
    const server = await serve(socket, systemClock, 'v1.DRAPlugin', async () => ready)
    await until(true)
    await server[Symbol.asyncDispose]()
  }
  await until(false)
  stop.abort()
  assert.deepEqual(reported, [false, true, false, true, false])
})

const info = (...supportedVersions: string[]) => ({ name: 'gpu.example.com', endpoint: '/s', supportedVersions })
const refused = 'invalid supported gRPC versions of DRA driver plugin gpu.example.com at endpoint /s: '

test("the first of a driver's services that the node speaks is taken; without one it is refused in the kubelet's words", () => {
  assert.equal(serviceOf(info('v1beta1.DRAPlugin', 'v1.DRAPlugin')), 'v1beta1.DRAPlugin')
  assert.equal(serviceOf(info('v2.DRAPlugin', 'v1.DRAPlugin', 'v1alpha1.DRAResourceHealth')), 'v1.DRAPlugin')
  assert.throws(() => serviceOf(info()), { message: `${refused}empty list of supported gRPC services (aka supported versions)` })
  assert.throws(() => serviceOf(info('v1alpha3.Node')), {
    message: `${refused}none of services supported by the plugin (["v1alpha3.Node"]) are supported by the kubelet (["v1.DRAPlugin" "v1beta1.DRAPlugin"])`,
  })
})
