import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { systemClock, VirtualClock } from '../clock.ts'
import { createHttpConnections, exchange, type HttpCall, HttpExchangeError } from './http-exchange.ts'

const LIMITS = { timeoutMs: 60_000, maxBytes: 1000, maxRedirects: 3 }

/** A server of this test, and how many questions it has heard. */
async function serve(answer: http.RequestListener) {
  const heard: http.IncomingMessage[] = []
  const server = http.createServer((request, response) => {
    heard.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    heard,
    port,
    at: (path: string, host = '127.0.0.1') => new URL(`http://${host}:${port}${path}`),
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const get = (url: URL, more: Partial<HttpCall> = {}): HttpCall => ({ url, method: 'GET', headers: {}, ...LIMITS, ...more })

for (const [what, call] of [
  ['a question', {}],
  ['a question with a body that may be repeated', { method: 'POST', body: '{}', repeatable: true }],
] as const)
  test(`${what} after a timeout on a kept connection is not repeated: it would have no time limit`, async () => {
    using server = await serve((request, response) => {
      if (request.url === '/first') response.end('ok')
    })
    using connections = createHttpConnections({})
    const clock = new VirtualClock(0)
    await exchange(get(server.at('/first')), { connections, clock: systemClock })
    const requested = exchange(get(server.at('/hangs'), call), { connections, clock })
    while (server.heard.length < 2) await new Promise(setImmediate)
    assert.ok(server.heard[1]?.socket === server.heard[0]?.socket, 'the connection was kept')
    await Promise.all([assert.rejects(requested, { code: 'deadline' }), clock.advance(LIMITS.timeoutMs)])
    await exchange(get(server.at('/first')), { connections, clock: systemClock })
    assert.deepEqual(
      server.heard.map((r) => r.url),
      ['/first', '/hangs', '/first'],
    )
  })

test('a cancelled request is not sent', async () => {
  using server = await serve((_request, response) => response.end('ok'))
  using connections = createHttpConnections({})
  const deps = { connections, clock: systemClock }
  await assert.rejects(exchange(get(server.at('/never'), { signal: AbortSignal.abort() }), deps), { code: 'aborted' })
  await exchange(get(server.at('/then')), deps)
  assert.deepEqual(
    server.heard.map((r) => r.url),
    ['/then'],
  )
})

test('credentials follow a redirect on the same host, not to another', async () => {
  using other = await serve((_request, response) => response.end('ok'))
  using server = await serve((request, response) => {
    const to = request.url === '/out' ? other.at('/x', 'localhost').href : '/end'
    if (request.url === '/end') response.end('ok')
    else response.writeHead(307, { Location: to }).end()
  })
  using connections = createHttpConnections({})
  const headers = { Authorization: 'Bearer secret', Accept: 'a/b' }
  for (const path of ['/out', '/in']) await exchange(get(server.at(path), { headers }), { connections, clock: systemClock })
  const [reported] = other.heard
  assert.deepEqual([reported?.headers.authorization, reported?.headers.accept], [undefined, 'a/b'])
  assert.deepEqual(
    server.heard.map((r) => [r.url, r.headers.authorization]),
    ['/out', '/in', '/end'].map((path) => [path, headers.Authorization]),
  )
})

test('a redirect without a target is reported, also as one too many', async () => {
  using server = await serve((_request, response) => response.writeHead(302, { Location: 'http://[' }).end())
  using connections = createHttpConnections({})
  const deps = { connections, clock: systemClock }
  for (const maxRedirects of [1, 0]) {
    const requested = exchange(get(server.at('/'), { maxRedirects }), deps)
    if (maxRedirects === 0) assert.equal((await requested).status, 302)
    else await assert.rejects(requested, (error) => error instanceof HttpExchangeError && error.code === 'redirects')
  }
})
