import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceAccountGroups, serviceAccountName, splitServiceAccountName } from './service-account-name.ts'

test('the name and the groups of a service account', () => {
  assert.equal(serviceAccountName('shop', 'web'), 'system:serviceaccount:shop:web')
  assert.deepEqual(serviceAccountGroups('shop'), ['system:serviceaccounts', 'system:serviceaccounts:shop'])
})

const long = (length: number) => 'a'.repeat(length)
const USERS: readonly (readonly [namespace: string, name: string, sound: boolean])[] = [
  ['shop', 'web', true],
  ['s', 'w', true],
  ['shop', 'web.v-1', true],
  [long(63), long(253), true],
  [long(64), 'web', false],
  ['shop', long(254), false],
  ['shop.a', 'web', false],
  ['Shop', 'web', false],
  ['shop', 'Web', false],
  ['-shop', 'web', false],
  ['shop', 'web-', false],
  ['', 'web', false],
  ['shop', '', false],
  ['shop', 'web:more', false],
]
for (const [namespace, name, sound] of USERS)
  test(`${namespace.slice(0, 9)}:${name.slice(0, 9)} is ${sound ? 'a' : 'no'} service account (${namespace.length}, ${name.length})`, () =>
    assert.deepEqual(splitServiceAccountName(`system:serviceaccount:${namespace}:${name}`), sound ? { namespace, name } : undefined))

for (const user of ['alice', 'system:serviceaccount:shop', 'system:node:shop:web', 'x:system:serviceaccount:shop:web'])
  test(`${user} is no service account`, () => assert.equal(splitServiceAccountName(user), undefined))
