import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageError, readClientMessage } from './read-client-message.ts'

const rows = (more: object = {}) => ({
  type: 'rows',
  id: 1,
  query: {
    group: '',
    version: 'v1',
    resource: 'pods',
    namespace: '',
    labelSelector: 'app=web',
    fieldSelector: '',
    filter: '',
    sort: -1,
    descending: false,
    from: 0,
    count: 50,
    ...more,
  },
})

test('a query of rows is read', () => assert.deepEqual(readClientMessage(JSON.stringify(rows())), rows()))

test('a window is cut at its bound', () => {
  const message = readClientMessage(JSON.stringify(rows({ count: 1_000_000 })))
  assert.equal(message.type === 'rows' && message.query.count, 500)
})

for (const [what, text] of [
  ['no JSON', '{'],
  ['null', 'null'],
  ['a list', '[]'],
  ['an unknown type', '{"type":"drop","id":1}'],
  ['no id', '{"type":"kinds"}'],
  ['a negative id', '{"type":"kinds","id":-1}'],
  ['a path as namespace', JSON.stringify(rows({ namespace: '../x' }))],
  ['dots as resource', JSON.stringify(rows({ resource: '..' }))],
  ['a filter of 10,000 characters', JSON.stringify(rows({ filter: 'x'.repeat(10_000) }))],
  ['an action that no lab has', '{"type":"lab-call","id":1,"action":{"kind":"erase"}}'],
  ['a path as container', JSON.stringify({ type: 'logs', id: 1, object: {}, container: '../x' })],
  ['a terminal of no size', JSON.stringify({ type: 'terminal', id: 1, query: { object: {}, container: '', size: { width: -1 } } })],
  ['100,000 characters that are typed', JSON.stringify({ type: 'keys', id: 1, text: 'x'.repeat(100_000) })],
  ['a change without words', '{"type":"change","id":1,"object":{}}'],
  ['a number as filter', JSON.stringify(rows({ filter: 3 }))],
] as const)
  test(`${what} is refused`, () => assert.throws(() => readClientMessage(text), MessageError))
