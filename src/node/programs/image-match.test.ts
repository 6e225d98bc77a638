import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImageTable } from './image-match.ts'

const fits: readonly (readonly [pattern: string, image: string, fits: boolean])[] = [
  ['example/web:*', 'example/web:1.2', true],
  ['example/web:*', 'example/web', true],
  ['example/web:1', 'example/web', false],
  ['example/web', 'example/web:1', true],
  ['example/web', 'example/web@sha256:0011', true],
  ['example/web', 'example/website:1', false],
  ['example/*', 'example/web:1', true],
  ['example/*', 'example/a/b', false],
  ['**', 'registry.example.com:5000/a/b:1', true],
  ['registry.example.com:5000/a/*:v*', 'registry.example.com:5000/a/b:v2', true],
  ['web', 'docker.io/library/web:1', true],
  ['docker.io/library/web', 'docker.io/library/web:1', true],
  ['a.b', 'aXb', false],
  ['(a+)+$', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', false],
]
for (const [pattern, image, wanted] of fits)
  test(`${pattern} ${wanted ? 'is' : 'is not'} ${image}`, () => {
    assert.equal(createImageTable({ [pattern]: () => 0 }).find(image) !== undefined, wanted)
  })

test('the first pattern that fits is taken', () => {
  const [first, second] = [() => 1, () => 2]
  const table = createImageTable({ 'a:1': first, 'a:*': second })
  assert.deepEqual([table.find('a:1')?.run, table.find('a:2')?.run, table.find('b')], [first, second, undefined])
})
