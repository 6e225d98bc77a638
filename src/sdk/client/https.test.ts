import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { isStatus, StatusError } from '../../machinery/status-error.ts'
import { createClient } from './create-client.ts'
import { httpsTransport } from './https.ts'
import { PODS } from './refs.ts'

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

test('an answer that asks to come back later is tried again', async () => {
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
