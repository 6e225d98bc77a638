/** What a cluster can do to the page: very many or very large objects, errors, silence, another history. One test for each. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock, VirtualClock } from '../../src/base/clock.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { expired, StatusError } from '../../src/machinery/status-error.ts'
import { openPage } from '../../src/page/server/open-page.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Client, Target } from '../../src/sdk/client/client.ts'
import { configMap, customResourceDefinition } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { askRows, latest, openSocket } from './page-socket.ts'

const MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }

/** A page of a client, until the end of the test. */
async function pageOf(t: TestContext, client: Client): Promise<URL> {
  const page = await openPage(0, { client, clock: systemClock, clusterName: 'test', serverAddress: '' })
  t.after(() => page[Symbol.asyncDispose]())
  return new URL(page.link)
}

/** A cluster of a server alone, until the end of the test. */
async function serverOf(t: TestContext) {
  const cluster = await startCluster({ nodes: 0, parts: ['server'] })
  t.after(() => cluster[Symbol.asyncDispose]())
  return cluster
}

/** A client to whom a collection seems to be another one. */
function withPods(client: Client, count: number, podOf: (i: number) => KubeObject): Client {
  const isPods = ({ group, resource, name }: Target) => group === '' && resource === 'pods' && name === undefined
  return {
    ...client,
    list: (async (target: Target, options: { continue?: string; limit?: number } = {}) => {
      if (!isPods(target)) return client.list(target, options)
      const from = Number(options.continue ?? 0)
      const to = Math.min(count, from + (options.limit ?? count))
      const items = Array.from({ length: to - from }, (_, i) => podOf(from + i))
      return { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1', continue: to < count ? String(to) : '' }, items }
    }) as Client['list'],
    watch: (target, options) => (isPods(target) ? silence(options?.signal) : client.watch(target, options)),
  }
}

/** A watch without events. */
async function* silence(signal: AbortSignal | undefined): AsyncGenerator<never> {
  await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
}

const podOf = (i: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `p-${String(i).padStart(6, '0')}`, namespace: 'default', uid: `uid-${i}`, ownerReferences: [OWNER] },
  spec: { containers: [{ name: 'c', image: 'i' }] },
})
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'uid-0' }

test('100,000 pods: a browser gets its window alone', async (t) => {
  const cluster = await serverOf(t)
  const link = await pageOf(t, withPods(cluster.client(), 100_000, podOf))
  using asked = askRows(link, { from: 99_000, count: 100 })
  await waitFor(() => asked.page()?.loading === false && asked.names().length === 100)
  assert.deepEqual([asked.page()?.total, asked.names()[0]], [100_000, 'p-099000'])
  assert.ok(asked.socket.longest < 100_000, `${asked.socket.longest} characters`)
})

test('5,000 children: the tree is cut, and says by how many', async (t) => {
  const cluster = await serverOf(t)
  const client = withPods(cluster.client(), 5_000, podOf)
  const link = await pageOf(t, client)
  using socket = openSocket(link, { type: 'relations', id: 1, object: { ...refs.PODS, namespace: 'default', name: 'p-000000' } })
  await waitFor(() => latest(socket, 'relations')?.relations.loading === false && (latest(socket, 'relations')?.relations.unsent ?? 0) > 0)
  const { tree = [], unsent } = latest(socket, 'relations')?.relations ?? {}
  assert.equal(tree.length + (unsent ?? 0), 5_000)
  assert.ok(tree.length <= 201 && tree.some(({ self }) => self), `${tree.length}`)
})

test('an object of 1 MiB, of one line and of 40,000: values are cut with their length, lines are counted', async (t) => {
  const cluster = await serverOf(t)
  const data = { line: 'x'.repeat(500_000), lines: Array.from({ length: 40_000 }, (_, i) => `line ${i}`).join('\n') }
  await cluster.client().create(MAPS, configMap('large', data))
  using socket = openSocket(await pageOf(t, cluster.client()), { type: 'object', id: 1, object: { ...MAPS, name: 'large' } })
  await waitFor(() => latest(socket, 'object'))
  const { lines = [], unsent = 0 } = latest(socket, 'object')?.page ?? {}
  assert.ok(lines.some(([, text]) => /\(50000\d characters\)/.test(text)))
  assert.ok(lines.length + unsent > 10, `${lines.length} lines`)
  assert.ok(socket.longest < 4 * 1024 * 1024, `${socket.longest} characters`)
})

test('a watch that is too old lists anew, and a server that always says so is not asked in a loop', async (t) => {
  const cluster = await serverOf(t)
  const client = cluster.client()
  let lists = 0
  const forgetful: Client = {
    ...client,
    list: ((target: Target, options: object) => {
      if (target.resource === 'configmaps') lists++
      return client.list(target, options)
    }) as Client['list'],
    watch: (target, options) => {
      if (target.resource === 'configmaps' && lists < 3) throw expired('too old resource version')
      return client.watch(target, options)
    },
  }
  using asked = askRows(await pageOf(t, forgetful), { resource: 'configmaps' })
  await waitFor(() => lists === 3)
  await client.create(MAPS, configMap('late', {}))
  await waitFor(() => asked.names().includes('late'))
  assert.equal(lists, 3)
})

for (const [code, message] of [
  [401, 'Unauthorized'],
  [429, 'too many requests'],
  [504, 'the server did not answer in time'],
] as const)
  test(`a list that is answered ${code}: rows stay, the view says so, and it is tried again`, async (t) => {
    const cluster = await serverOf(t)
    const client = cluster.client()
    await client.create(MAPS, configMap('kept', {}))
    let isFirst = true
    let fails = false
    const failing: Client = {
      ...client,
      list: ((target: Target, options: object) =>
        fails && target.resource === 'configmaps'
          ? Promise.reject(new StatusError({ code, message }))
          : client.list(target, options)) as Client['list'],
      watch: (target, options) => {
        if (target.resource !== 'configmaps' || !isFirst) return client.watch(target, options)
        isFirst = false
        fails = true
        throw new StatusError({ code, message })
      },
    }
    using asked = askRows(await pageOf(t, failing), { resource: 'configmaps' })
    await waitFor(() => asked.page()?.problem.includes(message))
    assert.ok(asked.names().includes('kept'))
    fails = false
    await client.create(MAPS, configMap('later', {}))
    await waitFor(() => asked.names().includes('later') && asked.page()?.problem === '')
  })

test('a kind that is deleted while its list is looked at: the list says so, and follows the kind when it comes back', async (t) => {
  const cluster = await serverOf(t)
  const client = cluster.client()
  const definition = customResourceDefinition({ group: 'example.com', kind: 'Gadget' })
  const gadgets = { group: 'example.com', version: 'v1', resource: 'gadgets', namespace: 'default' }
  const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' } }
  const make = () => client.create(gadgets, gadget).then(Boolean, () => false)
  await client.create(refs.CUSTOM_RESOURCE_DEFINITIONS, definition)
  await waitFor(make)
  using asked = askRows(await pageOf(t, client), { group: 'example.com', resource: 'gadgets' })
  await waitFor(() => asked.names().includes('g'))
  await client.delete({ ...refs.CUSTOM_RESOURCE_DEFINITIONS, name: definition.metadata.name ?? '' })
  await waitFor(() => asked.names().length === 0 || asked.page()?.problem !== '')
  await waitFor(() => client.create(refs.CUSTOM_RESOURCE_DEFINITIONS, definition).then(Boolean, () => false))
  await waitFor(make)
  await waitFor(() => asked.names().includes('g') && asked.page()?.problem === '')
})

test('a dry run that hangs holds up nothing else, and is given up when more is typed', async (t) => {
  const cluster = await serverOf(t)
  const client = cluster.client()
  await client.create(MAPS, configMap('slow', { a: '1' }))
  let begun = 0
  let givenUp = 0
  const hanging: Client = {
    ...client,
    update: (_target, _object, options) =>
      new Promise((_, reject) => {
        begun++
        options?.signal?.addEventListener('abort', () => {
          givenUp++
          reject(options.signal?.reason)
        })
      }),
  }
  const draft = { ...MAPS, name: 'slow', base: 'a', choices: [] }
  const text = (a: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: slow, namespace: default}\ndata: {a: "${a}"}\n`
  using socket = openSocket(await pageOf(t, hanging), { type: 'draft', id: 1, draft: { ...draft, text: text('2'), serial: 1 } })
  await waitFor(() => begun > 0)
  socket.send({ type: 'object', id: 2, object: { ...MAPS, name: 'slow' } })
  await waitFor(() => latest(socket, 'object'))
  socket.send({ type: 'draft', id: 1, draft: { ...draft, text: text('3'), serial: 2 } })
  await waitFor(() => givenUp > 0 && begun > 1)
})

/** A watch whose connection is lost. */
async function* until<T>(watch: AsyncIterable<T>, lost: AbortSignal): AsyncGenerator<T> {
  const events = watch[Symbol.asyncIterator]()
  const ended = new Promise<never>((_, reject) => lost.addEventListener('abort', () => reject(lost.reason), { once: true }))
  for (let next = await Promise.race([events.next(), ended]); next.done !== true; next = await Promise.race([events.next(), ended]))
    yield next.value
}

test('the server comes back with another history: rows are those of the new one, old ones are gone', async (t) => {
  const first = await startCluster({ nodes: 0, parts: ['server'] })
  for (let i = 0; i < 50; i++) await first.client().create(MAPS, configMap(`old-${i}`, {}))
  const second = await serverOf(t)
  await second.client().create(MAPS, configMap('new-1', {}))
  let server: Client = first.client()
  const lost = new AbortController()
  const switching: Client = {
    ...server,
    list: ((target: Target, options: object) => server.list(target, options)) as Client['list'],
    watch: (target, options) => (lost.signal.aborted ? server.watch(target, options) : until(server.watch(target, options), lost.signal)),
  }
  using asked = askRows(await pageOf(t, switching), { resource: 'configmaps', namespace: 'default', filter: '-' })
  await waitFor(() => asked.names().includes('old-1'))
  server = second.client()
  lost.abort(new Error('the connection was lost'))
  await first[Symbol.asyncDispose]()
  await waitFor(() => asked.names().includes('new-1') && !asked.names().includes('old-1'))
})

test('a virtual clock: a day in a second is a day for the page, which goes on while no time passes', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ nodes: 0, parts: ['server'] }, { clock })
  using asked = askRows(new URL(await cluster.page()), { resource: 'configmaps' })
  await waitFor(() => asked.page()?.loading === false)
  const beforeMs = clock.now()
  await clock.advance(86_400_000)
  await cluster.client().create(MAPS, configMap('next-day', {}))
  await waitFor(() => asked.names().includes('next-day'))
  await waitFor(() => (latest(asked.socket, 'tick')?.nowMs ?? 0) - beforeMs >= 86_400_000)
})

test('a view that needs Bowsprit says so on another Kubernetes', async (t) => {
  const cluster = await serverOf(t)
  const client = cluster.client()
  const foreign: Client = {
    ...client,
    get: ((target: Target, options: object) =>
      target.group === 'bowsprit.dev'
        ? Promise.reject(new StatusError({ code: 404, message: '404 page not found' }))
        : client.get(target, options)) as Client['get'],
  }
  const pod = { ...refs.PODS, namespace: 'default', name: 'web' }
  using socket = openSocket(await pageOf(t, foreign), { type: 'why', id: 1, object: pod }, { type: 'lab', id: 2, serial: 0 })
  await waitFor(() => latest(socket, 'error')?.message.includes('no reports of its scheduler'))
  assert.equal((await waitFor(() => latest(socket, 'lab'))).page.canFork, false)
})
