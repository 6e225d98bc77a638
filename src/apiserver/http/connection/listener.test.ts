import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2, createSecureServer } from 'node:http2'
import net from 'node:net'
import { test } from 'node:test'
import { connect } from 'node:tls'
import fc from 'fast-check'
import { silentLogger } from '../../../base/logger.ts'
import { giveTurn } from '../../../base/turns.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { listenerDouble, makeLeaf } from './listener.double.ts'

const utf8 = (header: unknown) => Buffer.from(String(header), 'latin1').toString()
/** What is left of a text in a header: no control characters, line ends as blanks, valid UTF-8. */
const expected = (text: string) =>
  Buffer.from(
    text
      .replace(/[\r\n]+/g, ' ')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may not leave.
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, ''),
  ).toString()

test('a header holds text of any script over both protocols, and no text breaks an answer', async () => {
  let text = ''
  await using double = await listenerDouble(async (exchange) => {
    if (exchange.url === '/parts') {
      exchange.start(200, { 'x-text': `(${text})` })
      exchange.end()
    } else exchange.answer(200, { 'x-text': `(${text})`, 'x-list': [`(${text})`] }, 'fine')
  })
  const any = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('日本', 'ключ', 'grüße', '\u0000', '\ud800', 'a\r\nX-Evil: 1', '必須', '"; x="', '\u0085\u2028'),
  )
  await fc.assert(
    fc.asyncProperty(any, fc.constantFrom('/', '/parts'), async (value, path) => {
      text = value
      for (const seen of [await double.ask1({ path }), await double.ask2({ path })]) {
        assert.equal(seen.code, 200)
        assert.equal(utf8(seen.headers['x-text']), `(${expected(value)})`)
        assert.equal(seen.headers['x-evil'], undefined)
      }
    }),
    { numRuns: 60 },
  )
})

test('an invalid status code becomes an internal error', async () => {
  let code = 0
  await using double = await listenerDouble(async (exchange) => exchange.answer(code, {}, ''))
  for (code of [600, 99_999, 444.5, 1e300, 101, 0, -1, Number.NaN]) {
    assert.equal((await double.ask1()).code, 500, `${code}`)
    assert.equal((await double.ask2()).code, 500, `${code}`)
  }
})

test('a handler that rejects costs its own exchange and nothing else', async () => {
  const errors: unknown[] = []
  const log = { ...silentLogger, error: (_message: string, facts?: Readonly<Record<string, unknown>>) => errors.push(facts?.error) }
  await using double = await listenerDouble(
    async (exchange) => {
      if (exchange.url === '/bad') throw new Error('not foreseen')
      exchange.answer(200, {}, 'fine')
    },
    { log },
  )
  for (const ask of [double.ask1, double.ask2]) {
    assert.equal((await ask({ path: '/bad' })).code, 0)
    assert.equal((await ask()).body, 'fine')
  }
  assert.deepEqual(errors.map(String), ['Error: not foreseen', 'Error: not foreseen'])
})

test('every response carries its audit id over both protocols, whole or in parts, unless a handler set one', async () => {
  await using double = await listenerDouble(async (exchange) => {
    if (exchange.url !== '/none') exchange.auditId = 'grüße 1'
    const headers = exchange.url === '/own' ? { 'audit-id': 'own' } : {}
    if (exchange.url !== '/parts') return exchange.answer(200, headers, 'füne')
    exchange.start(200, headers)
    exchange.end()
  })
  for (const [path, id] of [
    ['/', 'grüße 1'],
    ['/parts', 'grüße 1'],
    ['/own', 'own'],
  ] as const)
    for (const seen of [await double.ask1({ path }), await double.ask2({ path })]) assert.equal(utf8(seen.headers['audit-id']), id, path)
  for (const seen of [await double.ask1({ path: '/none' }), await double.ask2({ path: '/none' })])
    assert.equal(seen.headers['audit-id'], undefined)
})

test('canary: Node keeps what TLS servers show in `_sharedCreds`, which the listener replaces', () => {
  assert.ok('_sharedCreds' in createSecureServer({ rejectUnauthorized: false }))
})

test('new connections see a renewed certificate', async () => {
  await using double = await listenerDouble(async (exchange) => exchange.answer(200, {}, ''))
  const shown = () =>
    new Promise<string | undefined>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: double.port, servername: 'localhost', ca: double.ca.certificate }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN))
        socket.destroy()
      }).on('error', reject)
    })
  assert.equal(await shown(), 'localhost')
  double.renew(makeLeaf(double.ca, 'renewed', { usages: ['server'], dnsNames: ['localhost'] }))
  assert.equal(await shown(), 'renewed')
})

test('a connection that does not speak TLS counts as a failed handshake, and others go on', async () => {
  let failed = 0
  await using double = await listenerDouble(async (exchange) => exchange.answer(200, {}, 'fine'), { handshakeFailed: () => failed++ })
  const socket = net.connect(double.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\n\r\n')
  await once(socket, 'close')
  assert.equal(failed, 1)
  assert.equal((await double.ask1({ path: '/' })).code, 200)
  assert.equal(failed, 1)
})

test('a response that is broken off after a while is not complete, over both protocols', async () => {
  await using double = await listenerDouble(async (exchange) => {
    exchange.start(200, {})
    exchange.write('half')
    for (let turns = 0; turns < 50; turns++) await giveTurn()
    exchange.abort()
  })
  for (const seen of [await double.ask1(), await double.ask2()]) assert.deepEqual([seen.code, seen.body], [0, 'half'])
})

test('a draining listener takes no connection, and answers what it has begun', async () => {
  const begun = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let pending = 0
  await using double = await listenerDouble(async (exchange) => {
    if (++pending === 2) begun.resolve()
    await answered.promise
    exchange.answer(200, {}, 'fine')
  })
  const asked = [double.ask1(), double.ask2()]
  await begun.promise
  const drained = double.drain(60_000)
  assert.equal((await double.ask1()).code, 0)
  answered.resolve()
  const [one, two] = await Promise.all(asked)
  assert.deepEqual([one?.code, one?.headers.connection, two?.code], [200, 'close', 200])
  await drained
})

test('a listener stops to wait for a request after the limit', async () => {
  const begun = Promise.withResolvers<void>()
  await using double = await listenerDouble(async () => begun.resolve())
  const asked = double.ask2()
  await begun.promise
  await double.drain(1)
  await double[Symbol.asyncDispose]()
  assert.equal((await asked).code, 0)
})

test('a connection that gets GOAWAY answers its request, and takes no other', async () => {
  await using double = await listenerDouble(async (exchange) => exchange.answer(200, {}, 'fine'), { goaway: () => true })
  const session = connectHttp2(`https://127.0.0.1:${double.port}`, { ca: double.ca.certificate })
  const gone = once(session, 'goaway')
  const stream = session.request({ ':path': '/' })
  const [headers] = await once(stream, 'response')
  assert.equal(headers[':status'], 200)
  stream.resume()
  const [code] = await gone
  assert.equal(code, 0)
  await once(session, 'close')
})

test('a connection that ends after its request is not closed while the client still sends', async () => {
  await using double = await listenerDouble(async (exchange) => exchange.answer(413, {}, 'too large'))
  const socket = connect({
    host: '127.0.0.1',
    port: double.port,
    servername: 'localhost',
    ca: double.ca.certificate,
    ALPNProtocols: ['http/1.1'],
  })
  await once(socket, 'secureConnect')
  let text = ''
  let ended = false
  socket.on('data', (bytes) => {
    text += String(bytes)
  })
  socket.on('end', () => {
    ended = true
  })
  socket.write('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 10\r\n\r\n12345')
  await waitFor(() => text.endsWith('too large'), { what: 'the response has come' })
  // What a server does at once after its response would be here by now.
  for (let i = 0; i < 20; i++) await giveTurn()
  assert.equal(ended, false)
  socket.write('67890')
  await waitFor(() => ended, { what: 'the server ends the connection' })
})
