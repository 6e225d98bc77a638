/**
 * Plugins that send invalid data, flood, hang, and die at any time: each fault is contained and reported, and another plugin is not
 * affected.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { untilAborted } from '../../src/base/on-abort.ts'
import { MOST_DEVICES } from '../../src/node/allocation/devices/device-list.ts'
import { connectUnix } from '../../src/sdk/grpc/connect-unix.ts'
import { answer, serveUnix, tell } from '../../src/sdk/grpc/serve-unix.ts'
import { DEVICE_PLUGIN, type PluginDevice, REGISTRATION } from '../../src/sdk/node-api/device-plugin.ts'
import { container, type DeviceNode, openDeviceNode } from '../../src/testing/device-plugin-trial/trial-node.ts'
import { FakePlugin, healthy } from './device-stories/fake-plugin.ts'

interface Hostile {
  list?(signal: AbortSignal): AsyncIterable<{ readonly devices: readonly PluginDevice[] }>
  allocate?(): Promise<never> | { readonly containers: readonly ReturnType<typeof grant>[] }
}

const grant = (envs: ReadonlyMap<string, string>, hostPath?: string) => ({
  envs,
  mounts: hostPath === undefined ? [] : [{ hostPath, containerPath: '/x', readOnly: false }],
  devices: [],
  annotations: new Map<string, string>(),
  cdiDevices: [],
})
const RESOURCE = 'evil.example.com/thing'

async function serveHostile(node: DeviceNode, hostile: Hostile, endpoint = 'evil.sock'): Promise<AsyncDisposable> {
  const once = async function* (signal: AbortSignal) {
    yield { devices: healthy('e0') }
    await untilAborted(signal)
  }
  const server = await serveUnix(
    path.join(node.folders.plugins, endpoint),
    [
      answer(DEVICE_PLUGIN.getDevicePluginOptions, () => ({ preStartRequired: false, getPreferredAllocationAvailable: false })),
      tell(DEVICE_PLUGIN.listAndWatch, (_, signal) => (hostile.list ?? once)(signal)),
      answer(DEVICE_PLUGIN.allocate, () => hostile.allocate?.() ?? { containers: [grant(new Map())] }),
    ],
    { clock: systemClock },
  )
  return server
}

async function register(node: DeviceNode, resourceName = RESOURCE, endpoint = 'evil.sock'): Promise<void> {
  using connection = await connectUnix(path.join(node.folders.plugins, 'kubelet.sock'), { clock: systemClock })
  const request = { version: 'v1beta1', endpoint, resourceName, options: undefined }
  await connection.call(REGISTRATION.register, request, { signal: new AbortController().signal, timeoutMs: 15_000 })
}

const asks = (count = 1) => ({ containers: [{ name: 'main', image: 'app', resources: { limits: { [RESOURCE]: String(count) } } }] })

const reported = (node: DeviceNode, reason: string, words: RegExp) =>
  node.until(`an event ${reason}`, async () =>
    (await node.events('node-1')).some((e) => e.reason === reason && words.test(String(e.message))),
  )

/** The other plugin still works: a pod gets one of its devices. */
async function others(node: DeviceNode, name: string): Promise<void> {
  await node.create(name, { containers: [container('main', 1)] })
  await node.phase(name, 'Running')
  await node.delete(name)
  await node.gone(name)
}

type Row = readonly [name: string, play: (node: DeviceNode) => Promise<void>]

const rows: readonly Row[] = [
  [
    '100,000 devices: as many as a node takes are counted',
    async (node) => {
      const devices = Array.from({ length: 100_000 }, (_, i) => ({ id: `e${i}`, health: 'Healthy', topology: undefined }))
      await using _ = await serveHostile(node, {
        async *list(signal) {
          yield { devices }
          await untilAborted(signal)
        },
      })
      await register(node)
      assert.equal(MOST_DEVICES, 20_000)
      await node.shows('20k', '20k', RESOURCE)
      await reported(node, 'DevicePluginInvalid', /more than 20000 devices/)
      await others(node, 'beside-many')
    },
  ],
  [
    'ids that stand twice: each is one device, and the worse word counts',
    async (node) => {
      await using _ = await serveHostile(node, {
        async *list(signal) {
          yield { devices: [...healthy('e0', 'e0', 'e1'), { id: 'e1', health: 'Unhealthy', topology: undefined }] }
          await untilAborted(signal)
        },
      })
      await register(node)
      await node.shows('2', '1', RESOURCE)
      await reported(node, 'DevicePluginInvalid', /ids that stand twice/)
    },
  ],
  [
    'a flood of lists with other ids each time: it is read slowly',
    async (node) => {
      let sent = 0
      await using _ = await serveHostile(node, {
        async *list(signal) {
          for (; !signal.aborted; sent++)
            yield { devices: Array.from({ length: 200 }, (_, i) => ({ id: `e${sent}-${i}`, health: 'Healthy', topology: undefined })) }
        },
      })
      await register(node)
      await reported(node, 'DevicePluginFloods', /more often than they can be looked at/)
      await others(node, 'beside-flood')
    },
  ],
  [
    'an Allocate that hangs: others go on; when its pod goes, its device is free',
    async (node) => {
      await using _ = await serveHostile(node, { allocate: () => new Promise<never>(() => {}) })
      await register(node)
      await node.shows('1', '1', RESOURCE)
      await node.create('hangs', asks())
      await node.until('it is asked', () => node.devices.manager.ledger.knowsResource(RESOURCE))
      await others(node, 'beside-hang')
      await node.delete('hangs')
      await node.gone('hangs')
      await node.until('its device is free', () => !node.devices.manager.ledger.knowsResource(RESOURCE))
    },
  ],
  [
    'an Allocate with 20 MB: the pod is refused',
    async (node) => {
      await using _ = await serveHostile(node, { allocate: () => ({ containers: [grant(new Map([['BIG', 'x'.repeat(20_000_000)]]))] }) })
      await register(node)
      await node.shows('1', '1', RESOURCE)
      await node.create('big', asks())
      const { status } = await node.phase('big', 'Failed')
      assert.match(String(status?.message), /^Pod was rejected: Allocate failed due to rpc error: code = ResourceExhausted/)
      await reported(node, 'DevicePluginFailed', /ResourceExhausted/)
      await node.delete('big')
    },
  ],
  [
    'paths that lead out: the pod is refused',
    async (node) => {
      await using _ = await serveHostile(node, { allocate: () => ({ containers: [grant(new Map(), '/dev/../../etc/shadow')] }) })
      await register(node)
      await node.shows('1', '1', RESOURCE)
      await node.create('outside', asks())
      const { status } = await node.phase('outside', 'Failed')
      assert.match(String(status?.message), /"\/dev\/\.\.\/\.\.\/etc\/shadow" is no absolute path, or leads through ".."/)
      await reported(node, 'DevicePluginInvalid', /is no absolute path/)
      await node.delete('outside')
    },
  ],
  [
    "another vendor's name, while its plugin is alive: it is refused",
    async (node) => {
      await using _ = await serveHostile(node, {})
      await assert.rejects(
        register(node, 'example.com/dongle'),
        /example.com\/dongle is served by the plugin at .*fake.sock, which is alive/,
      )
      await reported(node, 'DevicePluginRefused', /evil.sock is not taken/)
      await node.shows('4', '4')
    },
  ],
  [
    'it dies in the middle of Allocate: the pod is refused, the device is free',
    async (node) => {
      let die = async () => {}
      const server = await serveHostile(node, {
        allocate() {
          void die()
          return new Promise<never>(() => {})
        },
      })
      die = async () => server[Symbol.asyncDispose]()
      await register(node)
      await node.shows('1', '1', RESOURCE)
      await node.create('middle', asks())
      const { status } = await node.phase('middle', 'Failed')
      assert.match(String(status?.message), /^Pod was rejected: Allocate failed due to rpc error/)
      assert.equal(node.devices.manager.ledger.knowsResource(RESOURCE), false)
      await node.shows('1', '0', RESOURCE)
      await node.delete('middle')
    },
  ],
  [
    'no gRPC at all behind the socket, and rubbish on kubelet.sock: both end there',
    async (node) => {
      const rubbish = net.createServer((socket) => socket.on('error', () => {}).end(Buffer.alloc(1000, 7)))
      await new Promise<void>((resolve) => rubbish.listen(path.join(node.folders.plugins, 'rubbish.sock'), resolve))
      await assert.rejects(register(node, RESOURCE, 'rubbish.sock'), /failed to get device plugin options/)
      rubbish.close()
      await new Promise((resolve) => {
        const socket = net.connect(path.join(node.folders.plugins, 'kubelet.sock'), () => socket.end(Buffer.alloc(100_000, 7)))
        socket.on('error', () => {}).on('close', resolve)
        socket.resume()
      })
      writeFileSync(path.join(node.folders.registry, 'file.sock'), 'no socket')
      await assert.rejects(register(node, RESOURCE, 'nobody.sock'), /failed to get device plugin options/)
      await others(node, 'beside-rubbish')
    },
  ],
]

test('plugins that lie, flood, hang and die are contained and named; the others go on', { timeout: 120_000 }, async (t) => {
  await using node = await openDeviceNode()
  const good = new FakePlugin(node.folders.plugins, healthy('d0', 'd1', 'd2', 'd3'))
  await good.serve()
  await good.register()
  await node.shows('4', '4')
  for (const [name, play] of rows) await t.test(name, () => play(node))
  await good.stop()
})
