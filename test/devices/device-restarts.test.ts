/**
 * Plugin, agent, machine and API server, each restarted, killed or hung, alone and in every order, with a running pod, a pending one (its
 * init container still runs) and a terminating one: no device is lost or allocated twice, and no pod is rejected.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ServedDevicePlugin, serveDevicePlugin } from '../../src/sdk/device-plugin/serve-device-plugin.ts'
import { container, type DeviceNode, openDeviceNode } from '../../src/testing/device-plugin-trial/trial-node.ts'

const IDS = ['d0', 'd1', 'd2', 'd3']

/** The plugin under test; its responses can be delayed. */
class Plugin {
  readonly #node: DeviceNode
  #served: ServedDevicePlugin | undefined
  #gate = Promise.resolve()
  #open = () => {}

  constructor(node: DeviceNode) {
    this.#node = node
  }

  async start(): Promise<void> {
    this.#served ??= await serveDevicePlugin(
      {
        resource: 'example.com/dongle',
        discover: () => IDS.map((id) => ({ id })),
        allocate: async (ids) => {
          await this.#gate
          return { env: { IDS: ids.join(',') } }
        },
        preStart: () => this.#gate,
      },
      { folder: this.#node.folders.plugins },
    )
  }

  async stop(): Promise<void> {
    const was = this.#served
    this.#served = undefined
    await was?.[Symbol.asyncDispose]()
  }

  hang(): void {
    this.#open()
    this.#gate = new Promise((resolve) => {
      this.#open = resolve
    })
  }

  answer(): void {
    this.#open()
    this.#gate = Promise.resolve()
  }
}

interface World {
  readonly node: DeviceNode
  readonly plugin: Plugin
  /** Undoes the faults at the end of a row. */
  readonly heal: (() => void | Promise<void>)[]
}

const DISTURBANCES: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'plugin restarts': async ({ plugin }) => {
    await plugin.stop()
    await plugin.start()
  },
  'plugin is killed': ({ plugin }) => plugin.stop(),
  'plugin hangs': async ({ plugin }) => plugin.hang(),
  'agent restarts': async ({ node }) => {
    await node.stop()
    await node.start()
  },
  'agent is killed': async ({ node }) => node.kill(),
  'machine reboots': async ({ node, plugin }) => {
    await node.kill()
    await plugin.stop()
    node.reboot()
    await node.start()
  },
  'API server restarts': async ({ node }) => {
    node.api.add({ times: 3, outcome: 'fail' })
    node.api.breakWatches()
  },
  'API server is away': async ({ node, heal }) => {
    heal.push(node.api.add({ outcome: 'fail' }))
    node.api.breakWatches()
  },
  'API server hangs': async ({ node, heal }) => {
    heal.push(node.api.add({ delayMs: 150 }))
  },
}

const names = Object.keys(DISTURBANCES)
const rows = [...names.map((n) => [n]), ...names.flatMap((a) => names.filter((b) => b !== a).map((b) => [a, b]))]

const idsIn = (node: DeviceNode, pod: string) =>
  node.created.filter((c) => c.pod.name === pod && c.name === 'main').map((c) => c.environment.find((e) => e.name === 'IDS')?.value)

async function play(world: World, row: readonly string[], serial: number): Promise<void> {
  const { node, plugin, heal } = world
  const [runs, waits, leaves] = [`runs-${serial}`, `waits-${serial}`, `leaves-${serial}`]
  await node.create(runs, { containers: [container('main', 1)] })
  await node.create(
    waits,
    { initContainers: [container('init', 2)], containers: [container('main', 1)] },
    { 'simulated.bowsprit.dev/run-seconds.init': '0.25' },
  )
  await node.create(leaves, { containers: [container('main', 1)] }, { 'simulated.bowsprit.dev/stop-seconds.main': '0.2' })
  await node.phase(runs, 'Running')
  await node.phase(leaves, 'Running')
  await node.until('the init container runs', () => node.created.some((c) => c.pod.name === waits))
  await node.client.delete({ group: '', version: 'v1', resource: 'pods', namespace: 'default', name: leaves }, { gracePeriodSeconds: 1 })

  for (const name of row) await DISTURBANCES[name]?.(world)
  for (const undo of heal.splice(0)) await undo()
  plugin.answer()
  await plugin.start()
  if (!node.runs) await node.start()

  await node.shows('4', '4')
  await node.gone(leaves)
  for (const name of [runs, waits]) {
    const pod = await node.phase(name, 'Running', 'Failed')
    assert.equal(pod.status?.phase, 'Running', `${name} was rejected: ${pod.status?.message}`)
  }
  const uids = new Map((await Promise.all([runs, waits].map((n) => node.pod(n)))).map((p) => [p.metadata.uid ?? '', p.metadata.name ?? '']))
  await node.until('both are taken up', async () => [...uids.keys()].every((uid) => node.devices.manager.ledger.holdsAny(uid)))
  for (const [uid, name] of uids) {
    await node.until(`${name} runs with its devices`, () => idsIn(node, name).length > 0)
    assert.equal(new Set(idsIn(node, name)).size, 1, `${name} got other devices when it was started anew`)
    const held = node.devices.manager.ledger.holding(uid, 'main', 'example.com/dongle')
    assert.deepEqual([...(held?.byNuma.values() ?? [])].flat().join(), idsIn(node, name)[0], `the ledger and ${name} disagree`)
  }
  assert.notEqual(idsIn(node, runs)[0], idsIn(node, waits)[0], 'a device was given twice')
  const owners = [...node.devices.manager.ledger.owners('example.com/dongle').values()]
  assert.ok(
    owners.every((uid) => uids.has(uid)),
    'a device belongs to a pod that has gone',
  )
  for (const name of [runs, waits]) await node.delete(name)
  for (const name of [runs, waits]) await node.gone(name)
  await node.until('all devices are free', () => !node.devices.manager.ledger.knowsResource('example.com/dongle'))
}

test('whatever is restarted, killed or hung in which order: no device is lost or allocated twice, no pod is rejected', {
  timeout: 240_000,
}, async (t) => {
  await using node = await openDeviceNode()
  const plugin = new Plugin(node)
  await plugin.start()
  await node.shows('4', '4')
  for (const [serial, row] of rows.entries()) await t.test(row.join(', then '), () => play({ node, plugin, heal: [] }, row, serial))
  await plugin.stop()
})
