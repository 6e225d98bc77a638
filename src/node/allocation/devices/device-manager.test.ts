import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../../base/clock.ts'
import { silentLogger } from '../../../base/logger.ts'
import { containerStatus } from '../../types/pod.double.ts'
import type { Pod } from '../../types/pod.ts'
import { idsOf } from './device-ledger.ts'
import { DeviceManager, START_GRACE_MS } from './device-manager.ts'
import { createDeviceMetrics } from './device-metrics.ts'
import { PluginDouble } from './plugin-connection.double.ts'
import { GRACE_MS } from './resource-pool.ts'

const RESOURCE = 'example.com/dongle'
const IDS = ['a', 'b', 'c', 'd', 'e']

const podOf = (name: string, count: number, lent = 0): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: {
    ...(lent > 0 && { initContainers: [{ name: 'init', image: 'x', resources: { limits: { [RESOURCE]: String(lent) } } }] }),
    containers: [{ name: 'main', image: 'x', resources: { limits: { [RESOURCE]: String(count) } } }],
  },
  status: {},
})

/** A node's device manager in virtual time; its checkpoint survives a restart. */
function openManager(clock = new VirtualClock()) {
  let text: string | undefined
  const reported: string[] = []
  const make = () =>
    new DeviceManager({
      clock,
      log: silentLogger,
      metrics: createDeviceMetrics(),
      notify: (reason) => void reported.push(reason),
      checkpoint: {
        read: () => text,
        write(written) {
          text = written
        },
      },
    })
  const node = {
    clock,
    reported,
    manager: make(),
    get checkpoint() {
      return text ?? ''
    },
    spoil() {
      text = text?.slice(0, -3)
    },
    /** Simulates a kill of the agent: nothing is written any more. */
    async restart() {
      const before = text
      const was = node.manager
      await was[Symbol.asyncDispose]()
      text = before
      node.manager = make()
    },
    async serve(plugin: PluginDouble, endpoint?: string) {
      await node.manager.plugins.register(RESOURCE, plugin.connection(endpoint))
      await clock.settle()
    },
    /** The devices of the pod's main container; undefined while it waits; a message if it is refused. */
    async admit(pod: Pod, runs = false): Promise<readonly string[] | string | undefined> {
      const stop = new AbortController()
      let refusal: { readonly message: string } | undefined | 'waits' = 'waits'
      const prepared = node.manager.prepare({ pod, runs }, stop.signal) ?? Promise.resolve(undefined)
      prepared.then(
        (r) => {
          refusal = r
        },
        () => {},
      )
      await clock.settle()
      if (refusal === 'waits') {
        node.waiting.set(pod.metadata.name ?? '', { stop, done: prepared })
        return undefined
      }
      return refusal === undefined ? node.held(pod) : (refusal as { readonly message: string }).message
    },
    waiting: new Map<string, { readonly stop: AbortController; readonly done: Promise<unknown> }>(),
    held: (pod: Pod): readonly string[] =>
      [...node.manager.ledger.owners(RESOURCE)].filter(([, uid]) => uid === pod.metadata.uid).map(([id]) => id),
    given: (pod: Pod) =>
      node.manager.additions(pod, pod.spec.containers[0] as Pod['spec']['containers'][number])?.environment?.[0]?.value ?? '',
    /** The devices of its main container in the ledger. */
    holds: (pod: Pod): readonly string[] =>
      idsOf(node.manager.ledger.holding(pod.metadata.uid ?? '', 'main', RESOURCE) ?? { byNuma: new Map() }),
    amounts: () => `${node.manager.capacity()[RESOURCE]}/${node.manager.allocatable()[RESOURCE]}`,
  }
  return node
}

test('a pod that holds its devices by the checkpoint waits for its plugin, however long; others are refused after a while', async () => {
  const node = openManager()
  await node.serve(new PluginDouble(IDS))
  const pod = podOf('one', 2)
  await node.admit(pod)
  const given = node.given(pod)
  await node.restart()
  assert.equal(node.amounts(), '0/0')
  assert.equal(await node.admit(pod), undefined)
  const stranger = podOf('stranger', 1)
  const refused = node.manager.prepare({ pod: stranger, runs: false }, new AbortController().signal)
  await node.clock.advance(START_GRACE_MS)
  assert.match((await refused)?.message ?? '', /no healthy devices present; cannot allocate unhealthy devices/)
  await node.clock.advance(GRACE_MS * 3)
  await node.serve(new PluginDouble(IDS))
  assert.equal(await node.waiting.get('one')?.done, undefined)
  assert.equal(node.given(pod), given)
})

test('a running pod keeps its devices without its plugin; with a lost checkpoint, they are restored from its status', async () => {
  const node = openManager()
  await node.serve(new PluginDouble(IDS))
  const pod = podOf('one', 2)
  await node.admit(pod)
  const held = node.held(pod)
  await node.restart()
  assert.deepEqual(await node.admit(pod, true), held)
  node.spoil()
  const status = { containerStatuses: [containerStatus({ allocatedResourcesStatus: node.manager.resourceHealth(pod, 'main') })] }
  await node.restart()
  assert.deepEqual(node.reported, ['DeviceCheckpointUnreadable'])
  await node.serve(new PluginDouble(IDS))
  assert.deepEqual(await node.admit({ ...pod, status }, true), held)
  await node.manager.beforeStart(pod, pod.spec.containers[0] as never, new AbortController().signal)
  assert.equal(node.given(pod), held.join(','))
  assert.match(String(await node.admit(podOf('greedy', 4))), /Requested: 4, Available: 3/)
})

test('the devices of a disconnected plugin count for five minutes, and are not allocated', async () => {
  const node = openManager()
  const plugin = new PluginDouble(IDS, new Set(['a']))
  await node.serve(plugin)
  assert.equal(node.amounts(), '5/4')
  plugin.kill()
  await node.clock.settle()
  assert.equal(node.amounts(), '5/0')
  await node.clock.advance(GRACE_MS - 1)
  assert.equal(node.amounts(), '5/0')
  await node.clock.advance(1)
  assert.equal(node.amounts(), '0/0')
  await node.serve(new PluginDouble(['x']))
  assert.equal(node.amounts(), '1/1')
})

test('the name of a plugin that is alive is not given to another; that of a dead one is', async () => {
  const node = openManager()
  const first = new PluginDouble(IDS)
  await node.serve(first, 'first.sock')
  await assert.rejects(node.serve(new PluginDouble(['x']), 'second.sock'), /is served by the plugin at first.sock, which is alive/)
  assert.deepEqual(node.reported, ['DevicePluginRefused'])
  assert.equal(node.amounts(), '5/5')
  await node.serve(new PluginDouble(['x', 'y']), 'first.sock')
  assert.equal(node.amounts(), '2/2')
})

test('a hanging plugin delays only pods that need it', async () => {
  const node = openManager()
  const hanging = new PluginDouble(IDS)
  await node.serve(hanging)
  await node.manager.plugins.register('example.com/other', new PluginDouble(['o']).connection('other.sock'))
  await node.clock.settle()
  hanging.hangs = true
  assert.equal(await node.admit(podOf('one', 1)), undefined)
  const other = {
    ...podOf('two', 1),
    spec: { containers: [{ name: 'main', image: 'x', resources: { limits: { 'example.com/other': '1' } } }] },
  }
  assert.deepEqual(await node.admit(other), [])
  assert.equal(node.given(other), 'o')
  // The pod is deleted: its reservation is released.
  node.waiting.get('one')?.stop.abort()
  await node.clock.settle()
  assert.equal(node.manager.ledger.knowsResource(RESOURCE), false)
})

test("a plugin's response is validated before it reaches a container", async () => {
  const empty = { envs: new Map(), mounts: [], devices: [], annotations: new Map(), cdiDevices: [] }
  const bad = [
    [[], /no containers return in allocation response/],
    [[{ ...empty, mounts: [{ containerPath: '/x', hostPath: '../../etc/shadow', readOnly: false }] }], /is no absolute path/],
    [[{ ...empty, devices: [{ containerPath: '/dev/../etc', hostPath: '/dev/x', permissions: 'rw' }] }], /is no absolute path/],
    [[{ ...empty, devices: [{ containerPath: '/dev/x', hostPath: '/dev/x', permissions: 'rwx' }] }], /device permissions "rwx"/],
    [[{ ...empty, envs: new Map([['A=B', 'c']]) }], /a variable with the name "A=B"/],
    [[{ ...empty, cdiDevices: [{ name: 'x' }] }], /a CDI device with the name "x"/],
    [[{ ...empty, envs: new Map(Array.from({ length: 5000 }, (_, i) => [`E${i}`, ''])) }], /adds 5000 things/],
  ] as const
  for (const [answer, words] of bad) {
    const node = openManager()
    const connection = { ...new PluginDouble(IDS).connection(), allocate: async () => answer }
    await node.manager.plugins.register(RESOURCE, connection)
    await node.clock.settle()
    assert.match(String(await node.admit(podOf('one', 1))), words)
    assert.equal(node.manager.ledger.knowsResource(RESOURCE), false)
  }
})

const op = fc.oneof(
  fc.record({ do: fc.constant('create' as const), count: fc.integer({ min: 1, max: 3 }), lent: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ do: fc.constant('end' as const), which: fc.nat(7) }),
  fc.record({ do: fc.constant('reboot' as const) }),
  fc.record({ do: fc.constant('restart agent' as const) }),
  fc.record({ do: fc.constant('spoil checkpoint, restart agent' as const) }),
  fc.record({ do: fc.constant('kill plugin' as const) }),
  fc.record({ do: fc.constant('start plugin' as const) }),
  fc.record({ do: fc.constant('hang' as const) }),
  fc.record({ do: fc.constant('tell' as const), ids: fc.subarray(IDS), sick: fc.subarray(IDS) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(100, START_GRACE_MS, GRACE_MS) }),
)

test('no device is allocated twice or lost, whatever is killed when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { maxLength: 25 }), async (ops) => {
      const node = openManager()
      let plugin = new PluginDouble(IDS)
      await node.serve(plugin)
      /** The running pods, and the devices with which they were started. */
      const running = new Map<string, { readonly pod: Pod; readonly ids: readonly string[] }>()
      /** Running pods whose statuses do not say which devices their init containers had: others may have got these. */
      const forgotten = new Set<string>()
      let serial = 0
      const statusOf = (pod: Pod, ids: readonly string[]) => {
        const allocatedResourcesStatus = [{ name: RESOURCE, resources: ids.map((resourceID) => ({ resourceID, health: 'Healthy' })) }]
        return { ...pod, status: { containerStatuses: [containerStatus({ allocatedResourcesStatus })] } }
      }
      const takeUp = async () => {
        for (const { pod, ids } of running.values()) await node.admit(statusOf(pod, ids), true)
      }
      for (const o of ops) {
        switch (o.do) {
          case 'create': {
            const pod = podOf(`pod-${serial++}`, o.count, o.lent)
            const got = await node.admit(pod)
            // A resource without a plugin for long is not managed any more: the node has a capacity of 0, and the pod does not fit.
            if (typeof got === 'object' && got.length > 0) running.set(pod.metadata.uid ?? '', { pod, ids: node.given(pod).split(',') })
            break
          }
          case 'end': {
            const [uid, gone] = [...running][o.which] ?? []
            if (uid === undefined || gone === undefined) break
            running.delete(uid)
            node.manager.release(gone.pod)
            break
          }
          case 'restart agent':
          case 'spoil checkpoint, restart agent':
            for (const { stop } of node.waiting.values()) stop.abort()
            node.waiting.clear()
            await node.clock.settle()
            if (o.do !== 'restart agent') {
              node.spoil()
              for (const [uid, { pod }] of running) if (pod.spec.initContainers) forgotten.add(uid)
            }
            await node.restart()
            await takeUp()
            node.manager.retain(new Set(running.keys()))
            if (!plugin.hangs) await node.serve(plugin).catch(() => {})
            break
          case 'reboot':
            for (const { stop } of node.waiting.values()) stop.abort()
            node.waiting.clear()
            await node.clock.settle()
            await node.restart()
            // Nothing runs: all are admitted again, and wait for their plugin, which comes back unchanged.
            for (const { pod } of running.values()) void node.admit(pod)
            await node.clock.settle()
            plugin = new PluginDouble(IDS)
            await node.serve(plugin)
            await node.clock.advance(100)
            // It is refused if too few devices are left for its init container.
            for (const uid of forgotten) if ((await node.waiting.get(uid)?.done) !== undefined) running.delete(uid)
            for (const { pod, ids } of running.values())
              assert.deepEqual(node.holds(pod), ids, 'after a reboot a pod has the devices that it had')
            break
          case 'kill plugin':
            plugin.kill()
            await node.clock.settle()
            break
          case 'start plugin':
            plugin.kill()
            await node.clock.settle()
            plugin = new PluginDouble(IDS)
            await node.serve(plugin)
            break
          case 'hang':
            plugin.hangs = !plugin.hangs
            break
          case 'tell':
            plugin.notify(o.ids, new Set(o.sick))
            await node.clock.settle()
            break
          case 'wait':
            await node.clock.advance(o.ms)
            break
        }
        const used = [...running.values()].flatMap((r) => r.ids)
        assert.equal(new Set(used).size, used.length, `${o.do}: a device was given twice`)
        for (const { pod, ids } of running.values()) {
          const owners = node.manager.ledger.owners(RESOURCE)
          for (const id of ids) assert.equal(owners.get(id), pod.metadata.uid, `${o.do}: ${id} was lost`)
        }
      }
      for (const { stop } of node.waiting.values()) stop.abort()
      await node.manager[Symbol.asyncDispose]()
    }),
    { numRuns: 150 },
  )
})
