import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import net from 'node:net'
import { test } from 'node:test'
import { systemClock, VirtualClock } from '../../base/clock.ts'
import type { Target } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus, StatusError } from '../../machinery/status-error.ts'
import { PODS } from '../../resources/refs.ts'
import { createClient } from './create-client.ts'
import { type HttpsConfig, httpsTransport } from './https.ts'

type Handler = (stream: ServerHttp2Stream, path: string, method: string, body: string) => void

async function setUp(handler: Handler) {
  const server = createServer()
  server.on('stream', async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const chunks: Buffer[] = []
    for await (const c of stream) chunks.push(c)
    handler(stream, String(headers[':path']), String(headers[':method']), Buffer.concat(chunks).toString())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const transport = httpsTransport({ server: `http://127.0.0.1:${port}/base`, timeoutMs: 300 }, { clock: systemClock })
  const end = async () => {
    await transport[Symbol.asyncDispose]()
    await new Promise((resolve) => server.close(resolve))
  }
  return { client: createClient(transport), end }
}

const json = (stream: ServerHttp2Stream, code: number, body: unknown) => {
  stream.respond({ ':status': code, 'content-type': 'application/json' })
  stream.end(JSON.stringify(body))
}

test('calls become requests; failures come back as their Status', async () => {
  const seen: string[] = []
  const { client, end } = await setUp((stream, path, method, body) => {
    seen.push(`${method} ${path} ${body}`)
    if (method === 'GET')
      json(stream, 404, {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        message: 'pods "x" not found',
        reason: 'NotFound',
        code: 404,
      })
    else json(stream, 200, { kind: 'Pod', metadata: { name: 'x' } })
  })
  await assert.rejects(
    client.get({ ...PODS, namespace: 'a b', name: 'x' }),
    (e) => isStatus(e, 'NotFound') && e.message === 'pods "x" not found',
  )
  const answer = await client.patch({ ...PODS, namespace: 'd', name: 'x' }, 'merge', { a: 1 }, { fieldManager: 'm' })
  assert.equal(answer.metadata.name, 'x')
  assert.deepEqual(seen, ['GET /base/api/v1/namespaces/a%20b/pods/x ', 'PATCH /base/api/v1/namespaces/d/pods/x?fieldManager=m {"a":1}'])
  await end()
})

test('a watch is read line by line, also when lines are cut; an ERROR event is thrown', async () => {
  const { client, end } = await setUp((stream) => {
    stream.respond({ ':status': 200 })
    const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`
    const text = line('ADDED', { metadata: { name: 'ä' } }) + line('BOOKMARK', { metadata: { resourceVersion: '7' } })
    const bytes = Buffer.from(text + line('ERROR', { kind: 'Status', message: 'too old', reason: 'Expired', code: 410 }))
    stream.write(bytes.subarray(0, 40))
    setImmediate(() => stream.end(bytes.subarray(40)))
  })
  const types: string[] = []
  const read = async () => {
    for await (const batch of client.watch(PODS)) for (const event of batch) types.push(event.type)
  }
  await assert.rejects(read(), (e) => isStatus(e, 'Expired'))
  assert.deepEqual(types, ['ADDED', 'BOOKMARK'])
  await end()
})

test('no answer in time is 504, no server is 503 with the cause', async () => {
  const { client, end } = await setUp(() => {})
  await assert.rejects(client.get({ ...PODS, namespace: 'd', name: 'x' }), (e) => e instanceof StatusError && e.code === 504)
  await end()
  const away = httpsTransport({ server: 'http://127.0.0.1:1' }, { clock: systemClock })
  await assert.rejects(createClient(away).list(PODS), (e) => e instanceof StatusError && e.code === 503 && e.cause !== undefined)
  await away[Symbol.asyncDispose]()
})

test('a response with Retry-After is retried', async () => {
  let calls = 0
  const { client, end } = await setUp((stream) => {
    if (calls++ > 0) return json(stream, 200, { metadata: { name: 'x' } })
    stream.respond({ ':status': 429, 'retry-after': '0' })
    stream.end('slow down')
  })
  assert.equal((await client.get({ ...PODS, namespace: 'd', name: 'x' })).metadata.name, 'x')
  assert.equal(calls, 2)
  await end()
})

test('aborting the signal ends a watch without an error', async () => {
  const { client, end } = await setUp((stream) => stream.respond({ ':status': 200 }))
  const stop = new AbortController()
  const reading = (async () => {
    for await (const _ of client.watch(PODS, { signal: stop.signal })) assert.fail('nothing was sent')
  })()
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await reading
  await end()
})

test('integers beyond 2^53 keep their digits, there and back, in answers and in watches', async () => {
  const bodies: string[] = []
  const text = '{"metadata":{"name":"x"},"spec":{"big":9007199254740993,"small":7,"text":"9007199254740993"}}'
  const { client, end } = await setUp((stream, path, _method, body) => {
    bodies.push(body)
    stream.respond({ ':status': 200 })
    stream.end(path.includes('watch') ? `{"type":"ADDED","object":${text}}\n` : text)
  })
  const target: Target<KubeObject<{ big: bigint; small: number }>> = { group: 'g', version: 'v1', resource: 'things', name: 'x' }
  const got = await client.get(target)
  assert.equal(got.spec?.big, 9007199254740993n)
  assert.equal(got.spec?.small, 7)
  await client.update(target, got)
  assert.equal(bodies[1], text)
  for await (const [event] of client.watch(target)) assert.equal(event?.type === 'ADDED' && event.object.spec?.big, 9007199254740993n)
  await end()
})

test('what is no JSON is an error that shows it', async () => {
  const { client, end } = await setUp((stream) => {
    stream.respond({ ':status': 200 })
    stream.end('<html>please log in</html>')
  })
  await assert.rejects(client.list(PODS), (e) => e instanceof StatusError && e.code === 500 && e.message.includes('<html>please log in'))
  await end()
})

/** A port that takes connections and never says anything. */
async function silentPort() {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => sockets.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const end = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port: typeof address === 'object' && address !== null ? address.port : 0, end }
}

test('a server that accepts the connection and stays silent, or a token that never comes, costs no more than the time limit', async () => {
  const { port, end } = await silentPort()
  const never: HttpsConfig['token'] = () => new Promise<string>(() => {})
  for (const config of [{ server: `https://127.0.0.1:${port}` }, { server: `https://127.0.0.1:${port}`, token: never }]) {
    const clock = new VirtualClock()
    const transport = httpsTransport(config, { clock })
    const client = createClient(transport)
    const watched = (async () => {
      for await (const _ of client.watch(PODS)) assert.fail('nothing was sent')
    })()
    const late = Promise.all(
      [client.list(PODS), client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [] } }), watched].map(
        (p) => codeOf(p),
      ),
    )
    await clock.advance(30_000)
    assert.deepEqual(await late, [504, 504, 504])
    await transport[Symbol.asyncDispose]()
  }
  await end()
})

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 200,
    (error) => (error instanceof StatusError ? error.code : error),
  )

test('a peer that has died is found out: its watches fail, and the next call gets a connection of its own', async () => {
  const { port, end } = await h2Server()
  const dead = new Set<net.Socket>()
  let connections = 0
  // Between the two a cable that can be cut without either noticing.
  const cable = net.createServer((near) => {
    connections++
    const far = net.connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.on('data', (chunk) => dead.has(near) || to.write(chunk)).on('error', () => {})
    near.on('close', () => far.destroy())
    cut = () => dead.add(near)
  })
  let cut = () => {}
  await new Promise<void>((resolve) => cable.listen(0, '127.0.0.1', resolve))
  const address = cable.address()
  const clock = new VirtualClock()
  const server = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  const transport = httpsTransport({ server }, { clock })
  const client = createClient(transport)
  const begun = Promise.withResolvers<void>()
  const watching = codeOf(
    (async () => {
      for await (const _ of client.watch(PODS)) begun.resolve()
    })(),
  )
  await begun.promise
  for (let i = 0; i < 4; i++) {
    await clock.advance(30_000)
    await client.list(PODS) // behind the PING on the same connection: its answer has come
  }
  assert.equal(connections, 1)
  cut()
  await clock.advance(60_000)
  assert.equal(await watching, 503)
  await client.list(PODS)
  assert.equal(connections, 2)
  await transport[Symbol.asyncDispose]()
  await new Promise((resolve) => cable.close(resolve))
  await end()
})

/** Answers lists, and begins watches. */
async function h2Server() {
  const server = createServer()
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {})
    stream.respond({ ':status': 200 })
    if (String(headers[':path']).includes('watch')) stream.write('{"type":"ADDED","object":{"metadata":{}}}\n')
    else stream.end('{"items":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    end: () => new Promise((resolve) => server.close(resolve)),
  }
}

test('an aborted call ends with the reason of its signal', async () => {
  const { client, end } = await setUp(() => {})
  const stop = new AbortController()
  const got = client.get({ ...PODS, name: 'x' }, { signal: stop.signal })
  const reason = new Error('mine')
  setImmediate(() => stop.abort(reason))
  await assert.rejects(got, reason)
  await assert.rejects(client.list(PODS, { signal: AbortSignal.abort() }), { name: 'AbortError' })
  await end()
})
