import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewedAs } from './viewed-as.ts'

const offering = (name: string) => ({ 'sec-websocket-protocol': `bowsprit-page.v1, key.x, as.${Buffer.from(name).toString('hex')}` })

test('without a user the cluster is seen as by the page', () => assert.equal(viewedAs({ 'sec-websocket-protocol': 'key.x' }), undefined))

test('a user has the groups of all who are recognised', () =>
  assert.deepEqual(viewedAs(offering('ann')), { name: 'ann', groups: ['system:authenticated'] }))

test('a service account has those of its namespace', () =>
  assert.deepEqual(viewedAs(offering('system:serviceaccount:shop:web')), {
    name: 'system:serviceaccount:shop:web',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
  }))

test('a group cannot be smuggled in by a name', () =>
  assert.deepEqual(viewedAs(offering('system:masters'))?.groups, ['system:authenticated']))
