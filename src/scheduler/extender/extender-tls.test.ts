import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extenderTls } from './extender-tls.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`

for (const [what, tlsConfig, why] of [
  ['a missing file', { caFile: '/nowhere/ca.crt' }, 'open /nowhere/ca.crt: no such file or directory'],
  ['a missing file, insecure', { insecure: true, caFile: '/nowhere/ca.crt' }, 'specifying a root certificates file with the insecure flag'],
  ['no PEM', { caData: base64('words') }, 'unable to load root certificates: unable to parse bytes as PEM block'],
  ['a key', { caData: base64(block('PRIVATE KEY', 'AAAA')) }, 'unable to load root certificates: no valid certificate authority data seen'],
  [
    'a broken certificate',
    { caData: base64(block('CERTIFICATE', 'AAAA')) },
    'unable to load root certificates: failed to parse certificate',
  ],
] as const) {
  test(`an authority that is ${what} ends the start`, () => {
    assert.throws(() => extenderTls({ enableHTTPS: true, tlsConfig }), { message: new RegExp(`^couldn't build extenders: ${why}`) })
  })
}

test('without an authority HTTPS is not verified', () => {
  assert.deepEqual(extenderTls({ enableHTTPS: true }), { rejectUnauthorized: false })
})
