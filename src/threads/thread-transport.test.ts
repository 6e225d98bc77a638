import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createBytePipe } from '../base/byte-pipe.ts'
import { giveTurn } from '../base/turns.ts'
import type { ApiCall, Connections, EncodedTransport } from '../machinery/api-call.ts'
import { keeperOf } from '../machinery/kept.ts'
import type { UserInfo } from '../machinery/resource/user.ts'
import { expired, isStatus, notImplemented } from '../machinery/status-error.ts'
import { WINDOW_BYTES } from './exchange.ts'
import { linkPair } from './link.double.ts'
import { transportServices } from './serve-transports.ts'
import { threadTransport } from './thread-transport.ts'

const ann: UserInfo = { name: 'ann', groups: ['system:authenticated'] }
const target = { group: '', version: 'v1', resource: 'pods', namespace: 'ns' }
const call = (verb: ApiCall['verb'], more: Partial<ApiCall> = {}): ApiCall => ({ verb, target, query: {}, ...more })
const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'ns', resourceVersion: '7' } })

const refuse = () => Promise.reject(notImplemented('this'))
const noConnections: Connections = { command: refuse, ports: refuse, bytes: refuse }

/** A transport whose calls are answered by these functions. */
function transports(own: Partial<EncodedTransport>) {
  const users: UserInfo[] = []
  const none = async function* (): AsyncGenerator<string> {}
  const served: EncodedTransport = { call: refuse, list: none, watch: none, page: refuse, connect: noConnections, ...own }
  const pair = linkPair({
    far: transportServices((user) => {
      users.push(user)
      return served
    }),
  })
  return { users, transport: threadTransport(pair.near, ann), pair, [Symbol.dispose]: () => pair[Symbol.dispose]() }
}

test('a call arrives as it was made, in the name of its user', async () => {
  const made: ApiCall[] = []
  using world = transports({
    async call(requested) {
      made.push(requested)
      return JSON.stringify(pod('a'))
    },
  })
  const requested = call('patch', {
    target: { ...target, name: 'a' },
    query: { force: 'true' },
    body: { spec: { x: 2n ** 60n } },
    patchType: 'apply',
  })
  assert.deepEqual(await world.transport.call({ ...requested, signal: new AbortController().signal }), pod('a'))
  await world.transport.call(requested)
  assert.deepEqual(made, [requested, requested])
  assert.deepEqual(world.users, [ann], 'one transport serves all calls of a user')
})

test('a list has its items, each of which is kept as text', async () => {
  async function* list(): AsyncGenerator<string> {
    yield `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"}}\n${JSON.stringify(pod('a'))}\n`
    yield `${JSON.stringify(pod('b'))}\n`
  }
  using world = transports({ list })
  const answer = (await world.transport.call(call('list'))) as unknown as { readonly items: readonly ReturnType<typeof pod>[] }
  assert.deepEqual(answer, { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9' }, items: [pod('a'), pod('b')] })
  const [first] = answer.items
  assert.deepEqual(first && keeperOf(first)?.object, pod('a'))
})

test('a watch sends its events as messages, and throws its final error', async () => {
  async function* watch(): AsyncGenerator<string> {
    yield `{"type":"ADDED","object":${JSON.stringify(pod('a'))}}\n{"type":"DELETED","object":${JSON.stringify(pod('ä'))}}\n`
    yield '{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"8"}}}\n'
    throw expired('too old resource version: 1 (5)')
  }
  using world = transports({ watch })
  const seen: string[] = []
  const reading = async () => {
    for await (const batch of world.transport.watch(call('watch')))
      seen.push(batch.map((e) => `${e.type} ${e.object.metadata.name}`).join(', '))
  }
  await assert.rejects(reading(), (error) => isStatus(error, 'Expired'))
  assert.deepEqual(seen, ['ADDED a, DELETED ä', 'BOOKMARK undefined'])
})

test('a version that comes to several parts of a thread is decoded once, and again only when nothing holds it', async () => {
  const line = JSON.stringify(pod('a'))
  using world = transports({
    async *watch() {
      yield `{"type":"ADDED","object":${line}}\n`
    },
    call: async () => line,
  })
  const first = await Array.fromAsync(world.transport.watch(call('watch')))
  const second = await Array.fromAsync(world.transport.watch(call('watch')))
  const object = first[0]?.[0]?.object
  assert.ok(object !== undefined && object === second[0]?.[0]?.object)
  assert.equal(await world.transport.call(call('get')), object)
  assert.equal(keeperOf(object)?.object, object)
})

test('a watch is not pulled while its reader is behind, and ends at the server when it is read no more', async () => {
  const line = `{"type":"ADDED","object":${JSON.stringify({ ...pod('a'), data: 'x'.repeat(WINDOW_BYTES / 2) })}}\n`
  let pulled = 0
  const ended = Promise.withResolvers<void>()
  async function* watch({ signal }: ApiCall): AsyncGenerator<string> {
    signal?.addEventListener('abort', () => ended.resolve())
    for (;;) {
      pulled++
      yield line
    }
  }
  using world = transports({ watch })
  const events = world.transport.watch(call('watch'))[Symbol.asyncIterator]()
  await events.next()
  for (let i = 0; i < 50; i++) await giveTurn()
  assert.ok(pulled <= 4, `${pulled} messages were pulled for one that was read`)
  await events.return?.()
  await ended.promise
})

test('no more calls are in flight than the bound; the others follow', async () => {
  const waiting: (() => void)[] = []
  using world = transports({
    async call() {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return JSON.stringify(pod('a'))
    },
  })
  const calls = Array.from({ length: 1500 }, () => world.transport.call(call('get', { target: { ...target, name: 'a' } })))
  while (waiting.length < 1024) await giveTurn()
  for (let i = 0; i < 20; i++) await giveTurn()
  assert.equal(waiting.length, 1024)
  let done = false
  void Promise.all(calls).then(() => {
    done = true
  })
  while (!done) {
    for (const answer of waiting.splice(0)) answer()
    await giveTurn()
  }
})

test('logs are read, and port-forwards connected, over the link', async () => {
  const log = createBytePipe()
  const disposed = Promise.withResolvers<void>()
  using world = transports({
    connect: {
      ...noConnections,
      bytes: async () => log.source,
      ports: async () => ({
        async open(port) {
          const pipe = createBytePipe()
          await pipe.sink.write(Buffer.from(`port ${port}: `))
          return { source: pipe.source, sink: pipe.sink }
        },
        [Symbol.asyncDispose]: async () => disposed.resolve(),
      }),
    },
  })
  const bytes = await world.transport.connect.bytes({ target, query: [] })
  await log.sink.write(Buffer.from('line\n'))
  await log.sink.end()
  assert.equal(await text(bytes), 'line\n')
  const ports = await world.transport.connect.ports({ target, query: [] })
  const echo = await ports.open(80)
  await echo.sink.write(Buffer.from('hello'))
  await echo.sink.end()
  assert.equal(await text(echo.source), 'port 80: hello')
  await ports[Symbol.asyncDispose]()
  await disposed.promise
  await assert.rejects(world.transport.connect.command({ target, query: [] }), (error) => isStatus(error) && error.code === 501)
})
