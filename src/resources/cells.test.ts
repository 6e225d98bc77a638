import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelText, selectorText } from './cells.ts'

test('labels and selectors are one text, sorted', () => {
  assert.equal(labelText({ b: '2', a: '1' }), 'a=1,b=2')
  assert.equal(labelText({}), '<none>')
  const matchExpressions = [
    { key: 'x', operator: 'In', values: ['b', 'a'] },
    { key: 'w', operator: 'DoesNotExist' },
  ]
  assert.equal(selectorText({ matchLabels: { z: '1' }, matchExpressions }), '!w,x in (a,b),z=1')
})
