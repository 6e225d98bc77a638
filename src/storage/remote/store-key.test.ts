import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { systemRandom } from '../../base/random.ts'
import { StoreError } from '../store.ts'
import { answerChallenge, challengeHeader, isProof, openStoreKey, proofOf, readChallenge } from './store-key.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-key-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const refused = (why: RegExp) => (error: unknown) => error instanceof StoreError && error.code === 'permission' && why.test(error.message)

test('a key is made once, for its owner alone, and read again', () => {
  const made = openStoreKey(folder, systemRandom())
  assert.equal(statSync(made.file).mode & 0o777, 0o600)
  assert.match(made.key, /^[0-9a-f]{64}$/)
  assert.deepEqual(openStoreKey(folder, systemRandom()), made)
})

test('who can read the key answers the challenge, and the answer to another nonce is none', () => {
  const { file, key } = openStoreKey(folder, systemRandom())
  const proof = answerChallenge({ file, nonce: 'n1' })
  assert.equal(isProof(proof, key, 'n1'), true)
  assert.equal(isProof(proof, key, 'n2'), false)
  assert.equal(isProof('', key, 'n1'), false)
  assert.equal(proof.includes(key), false)
})

test('a challenge survives the header, whatever the folder is called', () => {
  const challenge = { file: '/tmp/a "b", nonce="x" é/store.key', nonce: '0a-1b' }
  assert.deepEqual(readChallenge(challengeHeader(challenge)), challenge)
})

for (const header of ['', 'Basic realm="x"', 'Bowsprit-Key file="%", nonce="ab"', 'Bowsprit-Key file="/a/store.key", nonce="<>"'])
  test(`${JSON.stringify(header)} is no challenge`, () => assert.equal(readChallenge(header), undefined))

const files: readonly (readonly [rule: string, make: (folder: string) => string, why: RegExp])[] = [
  ['a file of another name', (at) => write(path.join(at, 'id_rsa')), /not a file named store.key/],
  ['a relative path', () => 'store.key', /not a file named store.key/],
  ['a file that others may read', (at) => write(path.join(at, 'store.key'), 0o644), /mode 600/],
  ['a link', (at) => link(write(path.join(at, 'other')), path.join(at, 'store.key')), /not a regular file/],
  ['a file that holds something else', (at) => write(path.join(at, 'store.key'), 0o600, 'secret'), /does not hold a key/],
  ['a file that is not there', (at) => path.join(at, 'store.key'), /cannot be read/],
]
for (const [rule, make, why] of files)
  test(`no proof is made from ${rule}`, () => assert.throws(() => answerChallenge({ file: make(folder), nonce: 'n' }), refused(why)))

test('a proof is a keyed hash', () => {
  // HMAC-SHA256, test case 2 of RFC 4231.
  assert.equal(proofOf('Jefe', 'what do ya want for nothing?'), '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
})

function write(file: string, mode = 0o600, text = '0'.repeat(64)): string {
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

function link(target: string, at: string): string {
  symlinkSync(target, at)
  return at
}
