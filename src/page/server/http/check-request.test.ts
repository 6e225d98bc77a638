import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PageRequest, refusalOf, socketRefusalOf } from './check-request.ts'

const PORT = 4321
const HOST = `127.0.0.1:${PORT}`
const ORIGIN = `http://${HOST}`
const request = (headers: PageRequest['headers'], more: Partial<PageRequest> = {}): PageRequest => ({
  method: 'GET',
  httpVersion: '1.1',
  headers: { host: HOST, ...headers },
  ...more,
})

const REQUESTS: readonly (readonly [what: string, request: PageRequest, code: number | undefined])[] = [
  ['a browser that opens the page', request({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }), undefined],
  ['a link of another site', request({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }), undefined],
  ['the page itself', request({ origin: ORIGIN, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }), undefined],
  ['localhost', request({ host: `localhost:${PORT}`, origin: `http://localhost:${PORT}` }), undefined],
  ['a name that was bound to this address', request({ host: `evil.example:${PORT}` }), 421],
  ['another port', request({ host: '127.0.0.1:80' }), 421],
  ['no port', request({ host: '127.0.0.1' }), 421],
  ['no host', request({ host: undefined }), 421],
  ['a host in capitals', request({ host: `LOCALHOST:${PORT}` }), 421],
  ['a host with a dot', request({ host: `localhost.:${PORT}` }), 421],
  ['another address of this machine', request({ host: `127.0.0.2:${PORT}` }), 421],
  ['another origin', request({ origin: 'https://evil.example' }), 403],
  ['another port of this machine', request({ origin: 'http://127.0.0.1:8080' }), 403],
  ['an origin without a name', request({ origin: 'null' }), 403],
  ['the same origin over TLS', request({ origin: `https://${HOST}` }), 403],
  ['localhost that calls 127.0.0.1', request({ origin: `http://localhost:${PORT}` }), 403],
  ['a script tag of another site', request({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }), 403],
  ['a script tag of another port', request({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }), 403],
  ['a form', request({ origin: ORIGIN }, { method: 'POST' }), 405],
  ['HTTP/1.0', request({}, { httpVersion: '1.0' }), 505],
]
for (const [what, asked, code] of REQUESTS)
  test(`${what} is ${code === undefined ? 'answered' : `refused with ${code}`}`, () => assert.equal(refusalOf(asked, PORT)?.code, code))

const KEY = 'k'.repeat(43)
const SOCKETS: readonly (readonly [what: string, headers: PageRequest['headers'], code: number | undefined])[] = [
  ['the key of this run', { origin: ORIGIN, 'sec-websocket-protocol': `bowsprit-page.v1, key.${KEY}` }, undefined],
  ['a wrong key', { origin: ORIGIN, 'sec-websocket-protocol': `bowsprit-page.v1, key.${'x'.repeat(43)}` }, 401],
  ['no key', { origin: ORIGIN, 'sec-websocket-protocol': 'bowsprit-page.v1' }, 401],
  ['the beginning of the key', { origin: ORIGIN, 'sec-websocket-protocol': `bowsprit-page.v1, key.${KEY.slice(1)}` }, 401],
  ['another protocol', { origin: ORIGIN, 'sec-websocket-protocol': `key.${KEY}` }, 400],
  ['no origin', { 'sec-websocket-protocol': `bowsprit-page.v1, key.${KEY}` }, 403],
  ['another origin with the key', { origin: 'http://evil.example', 'sec-websocket-protocol': `bowsprit-page.v1, key.${KEY}` }, 403],
]
for (const [what, headers, code] of SOCKETS)
  test(`a socket with ${what} is ${code === undefined ? 'opened' : `refused with ${code}`}`, () =>
    assert.equal(socketRefusalOf(request(headers), PORT, KEY)?.code, code))
