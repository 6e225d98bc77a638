import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Client,
  type Controller,
  connect,
  createManager,
  installKinds,
  isStatus,
  type JsonObject,
  type Kind,
  type KubeObject,
  kinds,
  refs,
  systemClock,
  targetOf,
} from 'bowsprit/sdk'
import { defaultScript, type Script, seededRandom, startCluster, VirtualClock, waitFor } from 'bowsprit/testing'
import type { PersistentVolume } from 'bowsprit/types'
import { databases } from './controller.ts'
import { type Database, SampleDB } from './kind.ts'
import { type Play, stage, sweep } from './stage.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A task takes two minutes; the tool of release 3.0 cannot upgrade. */
const play: Play = { taskMs: 120_000, works: (task) => task !== 'upgrade 3.0' }

/** The same for a whole cluster with simulated nodes. */
const script: Script = {
  ...defaultScript,
  container: ({ spec }) => {
    if (!spec.image?.startsWith('sampledb-tools')) return {}
    return { runMs: play.taskMs, exitCode: play.works(`${spec.args?.[0]} ${spec.image.split(':')[1]}`) ? 0 : 1 }
  },
}

interface World extends AsyncDisposable {
  readonly client: Client
  readonly players: readonly Controller[]
  /** Lets time pass; what is to happen in it has happened then. */
  pass(spanMs: number): Promise<void>
}

/** An API server with played workloads: one in this process, or the one of `SAMPLEDB_KUBECONFIG`, whichever Kubernetes that is. */
async function openStage(clock: VirtualClock): Promise<World> {
  const players = stage(play)
  const kubeconfig = process.env.SAMPLEDB_KUBECONFIG
  if (kubeconfig === undefined) {
    const cluster = await startCluster({ parts: ['server'] }, { clock, random: seededRandom(1) })
    return {
      client: cluster.client(),
      players,
      pass: (ms) => clock.advance(ms),
      [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
    }
  }
  const connection = await connect({ kubeconfig })
  return {
    client: connection.client,
    players,
    // Its watches need time of the machine; the operator's time goes on in steps.
    async pass(ms) {
      for (let left = ms; left > 0; left -= 60_000) {
        await clock.advance(Math.min(left, 60_000))
        if (left % 600_000 < 60_000) await systemClock.sleep(5)
      }
    },
    async [Symbol.asyncDispose]() {
      await sweep(connection.client, 'default')
      await connection[Symbol.asyncDispose]()
    },
  }
}

/** Everything that a cluster has: its nodes run the containers. */
async function openCluster(clock: VirtualClock): Promise<World> {
  const cluster = await startCluster({ nodes: 1 }, { clock, random: seededRandom(1), script })
  const client = cluster.client()
  await client.create(refs.PERSISTENT_VOLUMES, volume)
  return { client, players: [], pass: (ms) => clock.advance(ms), [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const volume: PersistentVolume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'disk-1' },
  spec: {
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/disks/1' },
    persistentVolumeReclaimPolicy: 'Delete',
  },
}

interface Life extends World {
  db(): Promise<Readonly<Database>>
  get<T extends KubeObject>(kind: Kind<T>, name: string): Promise<Readonly<T> | undefined>
  jobs(what: string): Promise<string[]>
  until<T>(what: string, look: () => T | Promise<T>): Promise<Exclude<T, undefined | null | false>>
}

const at = (name: string) => ({ name, namespace: 'default' })

async function live(open: (clock: VirtualClock) => Promise<World>, work: (life: Life) => Promise<void>): Promise<void> {
  const clock = new VirtualClock()
  await using world = await open(clock)
  const { client, pass } = world
  const until: Life['until'] = async (what, look) => {
    for (let i = 0; i < 3600; i++) {
      const found = await look()
      if (found !== undefined && found !== null && found !== false) return found as never
      await pass(1000)
      if (process.env.SAMPLEDB_KUBECONFIG) await systemClock.sleep(5)
    }
    throw new Error(`${what} did not come within an hour: ${JSON.stringify((await life.db().catch(() => undefined))?.status)}`)
  }
  const life: Life = {
    ...world,
    until,
    db: () => client.get(targetOf(SampleDB, at('orders'))),
    get: async (kind, name) => {
      try {
        return await client.get(targetOf(kind, at(name)))
      } catch (error) {
        if (isStatus(error, 'NotFound')) return undefined
        throw error
      }
    },
    jobs: async (what) => {
      const { items } = await client.list({ ...refs.JOBS, namespace: 'default' }, { labelSelector: `databases.example.com/job=${what}` })
      return items.map((job) => job.metadata.name ?? '')
    },
  }
  await waitFor(() => installKinds(client, [SampleDB], { clock }).then(() => true), { clock })
  const stop = new AbortController()
  const running = createManager({ client, clock, random: seededRandom(2), controllers: [databases, ...world.players] }).run(stop.signal)
  try {
    await work(life)
  } finally {
    stop.abort()
    await waitFor(() => running.then(() => true), { clock })
  }
}

const create = (client: Client, spec: Parameters<typeof SampleDB.object>[1]) =>
  client.create({ ...SampleDB.ref, namespace: 'default' }, SampleDB.object({ name: 'orders' }, spec))
const patch = (client: Client, spec: JsonObject) => client.patch(targetOf(SampleDB, at('orders')), 'merge', { spec })

test('the whole life of a database: two weeks in a moment', () =>
  live(openStage, async ({ client, pass, until, db, get, jobs }) => {
    await create(client, { version: '1.0', storage: '5Gi' })
    const phase = async (wanted: string) => (await db()).status?.phase === wanted
    await until('the first backup', async () => (await db()).status?.backups === 1)
    assert.deepEqual(await jobs('init'), ['orders-init'])
    const password = (await get(kinds.SECRET, 'orders-credentials'))?.data?.password
    assert.equal((await get(kinds.CONFIG_MAP, 'orders-connection'))?.data?.host, 'orders.default.svc')

    // A backup a day, of which seven are kept.
    await pass(5 * DAY_MS)
    await until('six backups', async () => (await jobs('backup')).length === 6)
    await pass(5 * DAY_MS)
    await until('seven backups, and no more', async () => (await jobs('backup')).length === 7 && (await db()).status?.backups === 7)

    // Somebody deletes what the operator made: it comes back, with the same password.
    for (const kind of [kinds.SECRET, kinds.STATEFUL_SET])
      await client.delete(targetOf(kind, at(kind === kinds.SECRET ? 'orders-credentials' : 'orders')))
    await until('the server', async () => (await get(kinds.STATEFUL_SET, 'orders'))?.status?.readyReplicas === 1 && (await phase('Ready')))
    assert.notEqual((await get(kinds.SECRET, 'orders-credentials'))?.data?.password, undefined)
    assert.notEqual(password, undefined)

    // An upgrade: a backup, then nobody serves, then the data is changed, then the new release serves.
    await patch(client, { version: '2.0' })
    await until('the upgrade', () => phase('Upgrading'))
    assert.deepEqual(await until('its backup', async () => (await jobs('preupgrade')).join()), 'orders-preupgrade-1-0')
    await until('its job', async () => (await jobs('upgrade')).join() === 'orders-upgrade-2-0')
    assert.equal((await get(kinds.STATEFUL_SET, 'orders'))?.spec.replicas, 0)
    assert.equal((await db()).status?.version, '1.0')
    await until('the new release', async () => (await db()).status?.version === '2.0' && (await phase('Ready')))
    assert.equal((await get(kinds.STATEFUL_SET, 'orders'))?.spec.template.spec?.containers[0]?.image, 'sampledb:2.0')
    await assert.rejects(patch(client, { version: '1.0' }), /cannot be downgraded/)

    // One that fails leaves the old release in service.
    await patch(client, { version: '3.0' })
    await until('the failure', () => phase('Failed'))
    await until('the server', async () => (await get(kinds.STATEFUL_SET, 'orders'))?.status?.readyReplicas === 1)
    const upgraded = (await db()).status?.conditions?.find((c) => c.type === 'Upgraded')
    assert.deepEqual([upgraded?.status, upgraded?.reason, (await db()).status?.version], ['False', 'UpgradeFailed', '2.0'])
    const failedAt = upgraded?.lastTransitionTime
    await pass(DAY_MS)
    assert.equal((await db()).status?.conditions?.find((c) => c.type === 'Upgraded')?.lastTransitionTime, failedAt)
    await patch(client, { version: '2.0' })
    await until('peace', () => phase('Ready'))

    // The end: a last snapshot while it still serves, then server and disk go, and a note stays.
    await client.delete(targetOf(SampleDB, at('orders')))
    await until('the snapshot', async () => (await jobs('snapshot')).length === 1)
    assert.notEqual(await get(kinds.STATEFUL_SET, 'orders'), undefined)
    await until('the end', async () => (await get(SampleDB, 'orders')) === undefined)
    assert.equal(await get(kinds.STATEFUL_SET, 'orders'), undefined)
    assert.equal(await get(kinds.PERSISTENT_VOLUME_CLAIM, 'orders-data'), undefined)
    assert.equal((await get(kinds.CONFIG_MAP, 'orders-last-snapshot'))?.data?.version, '2.0')
  }))

test('an hour of it in a whole cluster, whose controllers and nodes do the work', () =>
  live(openCluster, async ({ client, until, db, get, jobs }) => {
    await create(client, { version: '1.0', storage: '5Gi' })
    await until('the first backup', async () => (await db()).status?.backups === 1)
    await patch(client, { version: '2.0' })
    await until('the new release', async () => (await db()).status?.version === '2.0' && (await db()).status?.phase === 'Ready')
    const pod = await client.get({ ...refs.PODS, ...at('orders-0') })
    assert.equal(pod.spec.containers[0]?.image, 'sampledb:2.0')
    await client.delete(targetOf(SampleDB, at('orders')))
    await until('the end', async () => (await get(SampleDB, 'orders')) === undefined)
    assert.equal(await get(kinds.PERSISTENT_VOLUME_CLAIM, 'orders-data'), undefined)
    await until('the jobs to go with their owner', async () => (await jobs('backup')).length === 0)
  }))

test('a database that never came up goes without a snapshot', () =>
  live(openCluster, async ({ client, pass, until, db, get }) => {
    await create(client, { version: '1.0', storage: '100Gi' })
    await until('a status', async () => (await db()).status?.phase === 'Creating')
    await pass(HOUR_MS / 4)
    await client.delete(targetOf(SampleDB, at('orders')))
    await until('the end', async () => (await get(SampleDB, 'orders')) === undefined)
  }))

for (const [what, spec, words] of [
  ['a release that is none', { version: 'new' }, /spec\.version/],
  ['backups every minute', { version: '1.0', backup: { everyMinutes: 1 } }, /everyMinutes/],
  ['storage that is no amount', { version: '1.0', storage: 'much' }, /spec\.storage/],
] as const)
  test(`${what} is refused by the API server`, () =>
    live(openStage, async ({ client }) => {
      await assert.rejects(create(client, spec), words)
    }))
