import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../../../machinery/object.ts'
import { isSignedBy, keyOfJwk, parseCompact, untrustedClaims } from './jws.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (header: object, claims: object) => {
  const body = `${part(header)}.${part(claims)}`
  return `${body}.${sign('sha256', Buffer.from(body), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

test('no text makes the token parser fail, and valid tokens are three parts in canonical form', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.array(fc.base64String(), { maxLength: 5 }).map((p) => p.join('.')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const read = parseCompact(text)
      untrustedClaims(text)
      if (read === undefined) return
      assert.equal(`${read.signed}.${read.signature.toString('base64url')}`, text)
    }),
  )
})

test('claims of any JSON are read as they are, and only a whole signature by the key is one', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (claims, at) => {
      const token = signed({ alg: 'ES256' }, claims)
      const read = parseCompact(token)
      assert.ok(read !== undefined)
      assert.deepEqual(JSON.parse(read.payload.toString()), JSON.parse(JSON.stringify(claims)))
      assert.ok(isSignedBy(read, pair.publicKey))
      const i = at % token.length
      const changed = `${token.slice(0, i)}${token[i] === 'A' ? 'B' : 'A'}${token.slice(i + 1)}`
      const forged = parseCompact(changed)
      assert.ok(forged === undefined || !isSignedBy(forged, pair.publicKey))
    }),
    { numRuns: 50 },
  )
})

test('a token with a different algorithm than the key’s, none, or a symmetric one is not verified', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  for (const alg of ['none', 'HS256', 'RS256', 'PS256', 'ES384', 'ES512', 'es256', '', 5, null]) {
    const read = parseCompact(signed({ alg }, {}))
    assert.ok(read !== undefined)
    assert.ok(!isSignedBy(read, pair.publicKey), String(alg))
    assert.ok(!isSignedBy(read, rsa.publicKey), String(alg))
  }
  const bare = parseCompact(signed({ alg: 'ES256', b64: false }, {}))
  assert.ok(bare !== undefined && !isSignedBy(bare, pair.publicKey))
})

test('keys of a set that verify nothing are passed over', () => {
  const jwk = { ...createPublicKey(pair.privateKey).export({ format: 'jwk' }) } as JsonObject
  assert.equal(keyOfJwk({ ...jwk, kid: 'k' })?.id, 'k')
  for (const wrong of [{}, { kty: 'oct', k: 'AAAA' }, { ...jwk, use: 'enc' }, { ...jwk, x: '!!' }, { kty: 'RSA', n: 'AA', e: 5 }]) {
    assert.equal(keyOfJwk(wrong as JsonObject), undefined, JSON.stringify(wrong))
  }
})
