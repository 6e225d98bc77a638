import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNot } from './why-not.ts'

const failure = (code: string, message = 'x') => new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })

/** curl's exit codes and words. */
const ROWS: readonly (readonly [what: string, error: unknown, url: string, code: number, words: string])[] = [
  ['a name without an address', failure('ENOTFOUND'), 'http://web/', 6, 'Could not resolve host: web'],
  ['a refusal', failure('ECONNREFUSED'), 'http://web/', 7, "Failed to connect to web port 80 after 0 ms: Couldn't connect to server"],
  [
    'a refusal of TLS',
    failure('ECONNREFUSED'),
    'https://web/',
    7,
    "Failed to connect to web port 443 after 0 ms: Couldn't connect to server",
  ],
  [
    'a refusal at a port',
    failure('ECONNREFUSED'),
    'http://web:81/',
    7,
    "Failed to connect to web port 81 after 0 ms: Couldn't connect to server",
  ],
  ['a connection that times out', failure('ETIMEDOUT'), 'http://web/', 28, 'Connection timed out after 130000 milliseconds'],
  ['a certificate', failure('SELF_SIGNED_CERT_IN_CHAIN', 'self signed'), 'https://web/', 60, 'SSL certificate problem: self signed'],
  ['a reset', failure('ECONNRESET'), 'http://web/', 56, 'Recv failure: Connection reset by peer'],
  ['an error of its own', new Error('odd'), 'http://web/', 7, "Failed to connect to web port 80 after 0 ms: Couldn't connect to server"],
]
for (const [what, error, url, code, words] of ROWS)
  test(`curl reports the cause of a failure: ${what}`, () => {
    const why = whyNot(error, undefined, url)
    assert.deepEqual([why.code, why.words], [code, words])
  })

test('a time limit of its own goes before any other reason', () => {
  assert.deepEqual(whyNot(failure('ECONNREFUSED'), 250, 'http://web/').words, 'Connection timed out after 250 milliseconds')
})

test('the address that refused is named', () => {
  const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', address: '10.0.0.1' })
  assert.equal(whyNot(error, undefined, 'http://web/').address, '10.0.0.1')
})
