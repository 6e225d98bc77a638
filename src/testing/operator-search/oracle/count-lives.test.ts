import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectChange } from '../history.ts'
import { lifeSymptoms } from './count-lives.ts'

/** `+claim:1`: an object is made, with this uid; `-claim:1`: it is deleted. */
function change(text: string): ObjectChange {
  const [, sign, name = '', uid = ''] = /^([+-])(.*):(.*)$/.exec(text) ?? []
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, uid, namespace: 'default' } }
  const ref = { group: '', version: 'v1', resource: 'secrets' }
  return {
    type: sign === '+' ? 'ADDED' : 'DELETED',
    revision: 1,
    step: 0,
    atMs: 0,
    key: `Secret default/${name}`,
    ref,
    object,
    before: undefined,
  }
}

const VOLUME = 'pvc-0b1c7a52-9a5e-4d6b-8a1f-1f6a2f0c9d11'
for (const [name, expected, found, symptoms] of [
  ['the same', '+a:1', '+a:2', []],
  ['one that is deleted too often', '', '-a:1 +a:2', ['Secret default/a is deleted once, not never']],
  ['one that is made too often', '+a:1', '+a:1 +a:2', ['Secret default/a is created 2 times, not once']],
  ['one of before that stays', '-a:1 +a:2', '', ['Secret default/a is deleted never, not once']],
  ['one of before that goes later', '-a:1 +a:2', '-a:1 +a:3', []],
  ['one that was made and deleted in between', '+a:1 -a:1 +a:2', '+a:2', []],
  ['one whose name holds a uid', '', `-${VOLUME}:1`, []],
] as const)
  test(`lives are counted: ${name}`, () => {
    const changes = (text: string) => text.split(' ').filter(Boolean).map(change)
    const told = lifeSymptoms(changes(expected), changes(found), { mustGo: () => true, mayRepeat: false })
    assert.deepEqual(
      told.map(({ text }) => text),
      symptoms,
    )
  })
