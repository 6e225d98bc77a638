import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from '../request/query.ts'
import { attemptedCredentials } from './attempted-credentials.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

for (const [authorization, query, hasCertificate, attempted] of [
  ['Bearer x', '', false, 'bearer'],
  [' bearer  x', '', false, 'bearer'],
  ['Bearer', '', false, undefined],
  [basic('ann:x'), '', false, 'basic'],
  [basic('ann'), '', false, undefined],
  ['Digest x', '', false, undefined],
  ['', 'access_token=x', false, 'access_token'],
  ['', 'access_token=+', false, undefined],
  ['Bearer x', 'access_token=x', true, 'bearer, access_token, x509'],
] as const)
  test(`"${authorization}", "?${query}"${hasCertificate ? ' and a certificate' : ''}: ${attempted ?? 'no credentials'}`, () =>
    assert.equal(
      attemptedCredentials({ headers: { authorization }, query: parseQuery(query) }, hasCertificate),
      attempted === undefined ? 'Authentication failed, no credentials provided' : `Authentication failed, attempted: ${attempted}`,
    ))
