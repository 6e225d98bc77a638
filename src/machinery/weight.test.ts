import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeeper, isHeavy, isHeavyBeside } from './weight.ts'

test('what has thousands of values or very long texts is heavy', () => {
  const table: [what: string, value: unknown, heavy: boolean][] = [
    ['nothing', undefined, false],
    ['a pod', { spec: { containers: [{ name: 'a', env: Array(200).fill({ name: 'x', value: 'y' }) }] } }, false],
    ['a long list of nothing', Array(3000).fill(null), true],
    ['a map of many', Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, 1])), true],
    ['many small ones', Array(700).fill({ a: [1, 2] }), true],
    ['a long text', { data: { a: 'x'.repeat(200_000) } }, true],
    ['a text', { data: { a: 'x'.repeat(100_000) } }, false],
  ]
  for (const [what, value, heavy] of table) assert.equal(isHeavy(value), heavy, what)
})

test('it looks no further than it needs', () => {
  let looks = 0
  const item = new Proxy(
    { a: 1 },
    {
      ownKeys: (target) => {
        looks++
        return Reflect.ownKeys(target)
      },
    },
  )
  assert.equal(isHeavy({ list: Array.from({ length: 1900 }, () => [item, item, item]) }), true)
  assert.ok(looks < 2000, `${looks}`)
})

test('depth is measured without recursion', () => {
  let deep: unknown = 1
  for (let i = 0; i < 10_000; i++) deep = i % 2 === 0 ? [deep] : { a: deep, b: 1 }
  assert.equal(isDeeper(deep, 10_000), false)
  assert.equal(isDeeper(deep, 9999), true)
  assert.equal(isDeeper('x', 0), false)
})

test('beside a light old state, only what is new is weighed', () => {
  const old = { metadata: { name: 'a', labels: {} }, spec: { big: 'x'.repeat(200_000) } }
  const observed = { ...old, status: { phase: 'Running' } }
  assert.equal(isHeavyBeside(observed, old), false)
  const rewritten = { ...old, spec: structuredClone(old.spec) }
  assert.equal(isHeavyBeside(rewritten, old), true)
  const named = { ...old, metadata: { ...old.metadata, annotations: { a: 'x'.repeat(200_000) } } }
  assert.equal(isHeavyBeside(named, old), true)
})
