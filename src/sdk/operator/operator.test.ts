import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { type FaultyTransport, faultyTransport } from '../../testing/faulty-transport.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { waitFor } from '../../testing/wait-for.ts'
import type { Client } from '../client/client.ts'
import { createClient } from '../client/create-client.ts'
import { CONFIG_MAP, SECRET } from '../kinds/builtin-kinds.ts'
import { defineKind } from '../kinds/define-kind.ts'
import { installKinds } from '../kinds/install-kinds.ts'
import { type Kind, type ObjectOf, targetOf } from '../kinds/kind.ts'
import { t } from '../kinds/schema-builders.ts'
import { type Controller, type ControllerConfig, controller, TerminalError, watch } from './controller.ts'
import { createManager, type Manager, type ManagerConfig } from './manager.ts'
import { generationChanged } from './predicates.ts'

const Gadget = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Gadget',
  spec: t.object({ size: t.integer({ minimum: 1 }).default(1), colors: t.array(t.string()).default([]), secret: t.string().optional() }),
  status: t.object({ made: t.integer().optional() }),
})
type Gadget = ObjectOf<typeof Gadget>

interface Bench {
  readonly clock: VirtualClock
  readonly client: Client
  readonly transport: FaultyTransport
  /** What the manager has written since the last look, as `patch configmaps/x`. */
  writes(): string[]
  run(controllers: readonly Controller[], more?: Partial<ManagerConfig>): { readonly manager: Manager; stop(): Promise<void> }
  until<T>(look: () => T | Promise<T>): Promise<Exclude<T, undefined | null | false>>
  get<T extends KubeObject>(kind: Kind<T>, name: string): Promise<Readonly<T>>
  create(name: string, spec?: Parameters<typeof Gadget.object>[1], metadata?: object): Promise<Readonly<KubeObject>>
}

async function withBench(work: (bench: Bench) => Promise<void>): Promise<void> {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ parts: ['server', 'controllers'] }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const until: Bench['until'] = (look) => waitFor(look, { clock, timeoutMs: 60_000 })
  await until(async () => {
    await installKinds(client, [Gadget], { clock })
    return true
  })
  const transport = faultyTransport(cluster.transport(), { clock })
  const stops: (() => Promise<void>)[] = []
  let looked = 0
  const bench: Bench = {
    clock,
    client,
    transport,
    until,
    writes() {
      const fresh = transport.calls.slice(looked)
      looked = transport.calls.length
      const reported = fresh.filter((c) => !['get', 'list', 'watch'].includes(c.verb) && !['events', 'leases'].includes(c.target.resource))
      return reported.map(
        (c) => `${c.verb} ${c.target.resource}/${c.target.name}${c.target.subresource === undefined ? '' : `/${c.target.subresource}`}`,
      )
    },
    run(controllers, more = {}) {
      const ended = new AbortController()
      const manager = createManager({ client: createClient(transport), clock, random: seededRandom(2), controllers, ...more })
      const running = manager.run(ended.signal)
      running.catch(() => {})
      const stop = async () => {
        ended.abort()
        await waitFor(() => running.then(() => true), { clock })
      }
      stops.push(stop)
      return { manager, stop }
    },
    get: (kind, name) => client.get(targetOf(kind, { name, namespace: 'default' })),
    create: (name, spec = {}, metadata = {}) =>
      client.create({ ...Gadget.ref, namespace: 'default' }, Gadget.object({ name, ...metadata }, spec)),
  }
  try {
    await work(bench)
  } finally {
    for (const stop of stops) await stop().catch(() => {})
  }
}

/** One config map a color; the status says how many there are. */
const painter = (more: Partial<ControllerConfig<Gadget>> = {}) =>
  controller({
    for: Gadget,
    owns: [CONFIG_MAP],
    reconcile: ({ object, children }) => ({
      children: object.spec.colors.map((color) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${object.metadata.name}-${color}` },
        data: { size: String(object.spec.size) },
      })),
      status: { made: children(CONFIG_MAP).length },
      conditions: [{ type: 'Ready', status: children(CONFIG_MAP).length === object.spec.colors.length, reason: 'Counted' }],
    }),
    ...more,
  })

test('children are applied with their owner, mended, pruned; the status follows; and then nothing is written any more', () =>
  withBench(async ({ run, create, until, get, client, clock, writes }) => {
    run([painter()])
    const gadget = await create('g', { colors: ['red', 'blue'] })
    const status = await until(async () => (await get(Gadget, 'g')).status?.made === 2 && (await get(Gadget, 'g')).status)
    assert.deepEqual(
      [status.observedGeneration, status.conditions?.[0]?.status, status.conditions?.[0]?.observedGeneration],
      [1, 'True', 1],
    )
    const red = await get(CONFIG_MAP, 'g-red')
    assert.deepEqual(
      red.metadata.ownerReferences?.map((r) => [r.kind, r.uid, r.controller]),
      [['Gadget', gadget.metadata.uid, true]],
    )
    const target = targetOf(CONFIG_MAP, { name: 'g-red', namespace: 'default' })
    await client.patch(target, 'merge', { data: { size: '99', note: 'mine' } })
    await until(async () => (await get(CONFIG_MAP, 'g-red')).data?.size === '1')
    // What others add beside stays theirs.
    assert.equal((await get(CONFIG_MAP, 'g-red')).data?.note, 'mine')
    await client.delete(target)
    await until(() => get(CONFIG_MAP, 'g-red'))
    await client.patch(targetOf(Gadget, gadget.metadata), 'merge', { spec: { colors: ['blue'] } })
    await until(async () => (await get(Gadget, 'g')).status?.observedGeneration === 2 && (await get(Gadget, 'g')).status?.made === 1)
    await assert.rejects(get(CONFIG_MAP, 'g-red'), /not found/)
    await clock.advance(60_000)
    writes()
    await client.patch(targetOf(Gadget, gadget.metadata), 'merge', { metadata: { labels: { a: 'b' } } })
    await clock.advance(3_600_000)
    assert.deepEqual(writes(), [])
  }))

test('a restart writes nothing where nothing has changed, and prunes what is wanted no more by the new program', () =>
  withBench(async ({ run, create, until, get, clock, writes }) => {
    const first = run([painter()])
    await create('g', { colors: ['red', 'blue'] })
    await until(async () => (await get(Gadget, 'g')).status?.made === 2)
    await clock.advance(10_000)
    await first.stop()
    writes()
    const second = run([painter()])
    await until(() => second.manager.working.then(() => true))
    await clock.advance(60_000)
    assert.deepEqual(writes(), [])
    await second.stop()
    run([painter({ reconcile: () => ({ children: [] }) })])
    await until(async () => (await get(CONFIG_MAP, 'g-red').catch(() => undefined)) === undefined)
    await clock.advance(10_000)
    assert.deepEqual(writes().sort(), ['delete configmaps/g-blue', 'delete configmaps/g-red'])
  }))

test('a field that a new program wants no more is given up after a restart', () =>
  withBench(async ({ run, create, until, get }) => {
    const withData = (data: Record<string, string>) =>
      painter({ reconcile: () => ({ children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data }] }) })
    const first = run([withData({ a: '1', b: '2' })])
    await create('g')
    await until(() => get(CONFIG_MAP, 'c'))
    await first.stop()
    run([withData({ a: '1' })])
    await until(async () => (await get(CONFIG_MAP, 'c')).data?.b === undefined)
    assert.deepEqual((await get(CONFIG_MAP, 'c')).data, { a: '1' })
  }))

test('an object of another owner is left alone and reported, unless it may be adopted', () =>
  withBench(async ({ run, create, until, get, client }) => {
    const target = { ...CONFIG_MAP.ref, namespace: 'default' }
    await client.create(target, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'g-red' }, data: { size: 'old' } })
    const reported: string[] = []
    const warn = (message: string, facts: Readonly<Record<string, unknown>> = {}) =>
      void reported.push(`${message}: ${String(facts.error)}`)
    const log: Logger = { error: warn, warn, info() {}, debug() {}, with: () => log }
    const first = run([painter()], { log })
    await create('g', { colors: ['red'] })
    await until(() => reported.some((line) => /nobody's child/.test(line)))
    assert.equal((await get(CONFIG_MAP, 'g-red')).data?.size, 'old')
    await first.stop()
    run([painter({ adopt: true })], { log })
    await until(async () => (await get(CONFIG_MAP, 'g-red')).data?.size === '1')
  }))

test('a finalizer is set before the first reconciliation, and the object is deleted when finalize is done', () =>
  withBench(async ({ run, create, until, get, client }) => {
    let open = false
    const seen: string[] = []
    run([
      painter({
        reconcile: ({ object }) => {
          seen.push(`reconcile ${object.metadata.finalizers?.join()}`)
          return undefined
        },
        finalize: () => {
          if (seen.at(-1) !== 'finalize') seen.push('finalize')
          return open ? 'done' : { status: { made: 0 }, requeueAfterMs: 1000 }
        },
      }),
    ])
    await create('g')
    await until(() => seen.length > 0)
    await client.delete(targetOf(Gadget, { name: 'g', namespace: 'default' }))
    await until(async () => (await get(Gadget, 'g')).status?.made === 0)
    assert.ok((await get(Gadget, 'g')).metadata.deletionTimestamp)
    open = true
    await until(async () => (await get(Gadget, 'g').catch(() => undefined)) === undefined)
    assert.deepEqual([seen[0], seen.at(-1)], ['reconcile gadgets.example.com/gadget', 'finalize'])
  }))

test('failures wait longer each time, terminal ones until something changes, and all are counted', () =>
  withBench(async ({ run, create, until, clock, client }) => {
    const tries: Record<string, number> = {}
    const { manager } = run([
      painter({
        name: 'failing',
        reconcile: ({ object: { metadata } }) => {
          const { name = '' } = metadata
          tries[name] = (tries[name] ?? 0) + 1
          if (name === 'terminal') throw new TerminalError('never')
          if (name === 'conflict') throw new StatusError({ code: 409, reason: 'Conflict', message: 'again' })
          if (name === 'text') throw 'only a text'
          return undefined
        },
      }),
    ])
    for (const name of ['terminal', 'conflict', 'text', 'fine']) await create(name)
    await until(() => Object.keys(tries).length === 4)
    await clock.advance(600_000)
    // 5 ms doubling: 17 tries in the first ten minutes.
    assert.deepEqual([tries.terminal, tries.fine], [1, 1])
    for (const name of ['conflict', 'text']) assert.ok((tries[name] ?? 0) >= 15 && (tries[name] ?? 0) <= 18, `${name}: ${tries[name]}`)
    await client.patch(targetOf(Gadget, { name: 'terminal', namespace: 'default' }), 'merge', { spec: { size: 2 } })
    await until(() => tries.terminal === 2)
    const text = manager.metricsText()
    assert.match(text, /^controller_runtime_terminal_reconcile_errors_total\{controller="failing"\} 2$/m)
    assert.match(text, /^controller_runtime_reconcile_total\{controller="failing",result="success"\} 1$/m)
    assert.match(text, /^controller_runtime_reconcile_panics_total\{controller="failing"\} 1[5-8]$/m)
    assert.match(text, /^workqueue_retries_total\{controller="failing",name="failing"\} \d+$/m)
    assert.match(text, /^rest_client_requests_total\{code="200",host="apiserver",method="GET"\} \d+$/m)
  }))

test('no object is reconciled twice at once, however many workers there are', () =>
  withBench(async ({ run, create, until, client, clock }) => {
    const inside = new Map<string, number>()
    let most = 0
    let done = 0
    run([
      painter({
        workers: 4,
        reconcile: async ({ object, clock: c, signal }) => {
          const { name = '' } = object.metadata
          inside.set(name, (inside.get(name) ?? 0) + 1)
          assert.equal(inside.get(name), 1)
          most = Math.max(
            most,
            [...inside.values()].reduce((a, b) => a + b),
          )
          await c.sleep(100, signal)
          inside.set(name, 0)
          done++
          return undefined
        },
      }),
    ])
    for (let i = 0; i < 8; i++) await create(`g${i}`)
    for (let i = 2; i < 5; i++) {
      await client.patch(targetOf(Gadget, { name: 'g0', namespace: 'default' }), 'merge', { spec: { size: i } })
      await clock.advance(30)
    }
    await until(() => done >= 9)
    assert.equal(most, 4)
  }))

test('predicates and mappings select what is reconciled; one that throws affects no other', () =>
  withBench(async ({ run, create, until, client, clock }) => {
    const seen: string[] = []
    const reconcile: ControllerConfig<Gadget>['reconcile'] = ({ object, read }) => {
      const users = read(Gadget).byIndex('secret', 's').length
      seen.push(`${object.metadata.name} ${users}`)
      return undefined
    }
    const secrets = watch(SECRET, {
      requests: (secret, read) => {
        if (secret.metadata.name === 'bad') throw new Error('unreadable')
        return read(Gadget)
          .byIndex('secret', secret.metadata.name ?? '')
          .map((g) => ({ name: g.metadata.name ?? '', namespace: g.metadata.namespace ?? '' }))
      },
    })
    const indexes = { secret: (g: Readonly<Gadget>) => (g.spec.secret === undefined ? [] : [g.spec.secret]) }
    const { manager } = run([painter({ when: generationChanged, watches: [secrets], indexes, reconcile })])
    await create('a', { secret: 's' })
    await create('b')
    await until(() => seen.length === 2)
    await client.patch(targetOf(Gadget, { name: 'a', namespace: 'default' }), 'merge', { metadata: { labels: { x: 'y' } } })
    for (const name of ['bad', 's'])
      await client.create({ ...SECRET.ref, namespace: 'default' }, { apiVersion: 'v1', kind: 'Secret', metadata: { name } })
    await until(() => seen.length === 3)
    await clock.advance(10_000)
    assert.deepEqual(seen.slice().sort(), ['a 1', 'a 1', 'b 1'])
    assert.match(manager.metricsText(), /^controller_runtime_reconcile_panics_total\{controller="gadget"\} 1$/m)
  }))

test('what a reconciler left running writes nothing after it, and a signal ends it', () =>
  withBench(async ({ run, create, until, client, clock }) => {
    const left: string[] = []
    const { stop } = run([
      painter({
        timeoutMs: 1000,
        reconcile: async ({ object, client: own, clock: c, signal }) => {
          if (object.metadata.name === 'slow') {
            await c.sleep(10_000, signal).catch((error: Error) => void left.push(error.message))
            return { status: { made: 7 } }
          }
          void c.sleep(50).then(() => own.delete(targetOf(Gadget, object.metadata)))
          return undefined
        },
      }),
    ])
    await create('hasty')
    await create('slow')
    await until(() => left.length > 0)
    await clock.advance(500)
    assert.equal(left[0], 'not done after 1000 ms')
    assert.equal((await client.list({ ...Gadget.ref, namespace: 'default' })).items.length, 2)
    assert.equal((await client.get(targetOf(Gadget, { name: 'slow', namespace: 'default' }))).status, undefined)
    await stop()
  }))

test('of two managers one works; when it stops the other follows at once, and never both', () =>
  withBench(async ({ run, create, until, clock, client }) => {
    const working = new Set<string>()
    const by: string[] = []
    const lease = { lease: { namespace: 'default', name: 'gadgets' } }
    const make = (who: string) =>
      run(
        [
          painter({
            reconcile: async ({ clock: c, signal }) => {
              assert.equal(working.size, 0)
              working.add(who)
              by.push(who)
              await c.sleep(10, signal).catch(() => {})
              working.delete(who)
              return undefined
            },
          }),
        ],
        { leaderElection: { ...lease, identity: who } },
      )
    const one = make('one')
    await until(() => one.manager.working.then(() => true))
    const two = make('two')
    await create('g')
    await until(() => by.length > 0)
    await clock.advance(30_000)
    assert.equal(two.manager.notReady(), undefined)
    assert.match(two.manager.metricsText(), /^leader_election_master_status\{name="gadgets"\} 0$/m)
    await one.stop()
    await until(() => by.includes('two'))
    await client.patch(targetOf(Gadget, { name: 'g', namespace: 'default' }), 'merge', { spec: { size: 5 } })
    await until(() => by.filter((w) => w === 'two').length >= 2)
    assert.equal(by.lastIndexOf('one') < by.indexOf('two'), true)
  }))

test('a bad network changes nothing of the result', () =>
  withBench(async ({ run, create, until, get, transport, clock }) => {
    transport.add({ when: (c) => c.verb === 'patch' && c.target.resource === 'configmaps', times: 3, outcome: 'lose' })
    transport.add({ when: (c) => c.verb === 'patch' && c.target.subresource === 'status', times: 2, outcome: 'fail' })
    run([painter()])
    await create('g', { colors: ['red', 'blue', 'green'] })
    for (let i = 0; i < 5; i++) {
      await clock.advance(100)
      transport.breakWatches()
    }
    await until(async () => (await get(Gadget, 'g')).status?.made === 3)
  }))
