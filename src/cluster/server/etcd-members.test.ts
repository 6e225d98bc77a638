import assert from 'node:assert/strict'
import { test } from 'node:test'
import { etcdOf } from '../../server/options/storage.ts'
import { etcdMembers } from './etcd-members.ts'

const membersOf = (...servers: string[]) => etcdMembers(etcdOf({ 'etcd-servers': servers }))

test('an address without a scheme is one of http', () => {
  assert.deepEqual(
    membersOf('127.0.0.1:2379', 'https://a:2379').urls.map(({ href }) => href),
    ['http://127.0.0.1:2379/', 'https://a:2379/'],
  )
})

const REFUSED: readonly (readonly [url: string, why: RegExp])[] = [
  ['http://a:99999', /parse "http:\/\/a:99999": invalid URL$/],
  ['https://root:secret@a:2379', /the URL of a:2379 has a user: etcd knows a server by its client certificate \(--etcd-certfile\)$/],
]
for (const [url, why] of REFUSED) test(`an etcd at ${url} is refused`, () => assert.throws(() => membersOf(url), why))
