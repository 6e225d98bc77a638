import assert from 'node:assert/strict'
import { test } from 'node:test'
import { additions, changed, differences, flow } from './rule-changes.ts'

const object = { spec: { replicas: 1, ports: [{ port: 80 }], labels: { 'a.b/c': 'x' } } }

const rows: readonly (readonly [change: string, result: unknown])[] = [
  ['spec.replicas = -1', { ...object.spec, replicas: -1 }],
  ['-spec.replicas', { ports: object.spec.ports, labels: object.spec.labels }],
  ['spec.ports[0].port = 81', { ...object.spec, ports: [{ port: 81 }] }],
  ['spec.ports[1] = {port: 1}', { ...object.spec, ports: [{ port: 80 }, { port: 1 }] }],
  ['-spec.ports[0]', { ...object.spec, ports: [] }],
  ['spec.labels[a.b/c] = "5"', { ...object.spec, labels: { 'a.b/c': '5' } }],
  ['spec.a.b[0] = x && -spec.ports', { replicas: 1, labels: object.spec.labels, a: { b: ['x'] } }],
]
for (const [change, result] of rows) {
  test(`a change is applied to a copy: ${change}`, () => assert.deepEqual(changed(object, change).spec, result))
}

test('a text that is no change is refused', () => {
  assert.throws(() => changed(object, 'spec.replicas'), /is no change/)
})

test('differences are the changes that lead to the other object', () => {
  const other = { spec: { replicas: 2, ports: [{ port: 80, name: 'yes' }], labels: {}, list: ['1', null] } }
  const changes = differences(object, other)
  assert.deepEqual(changes, ['spec.replicas = 2', 'spec.ports[0].name = "yes"', '-spec.labels[a.b/c]', 'spec.list = ["1", null]'])
  assert.deepEqual(changed(object, changes.join(' && ')), other)
})

test('additions are the scalars that the other object has besides, by path', () => {
  const other = { spec: { replicas: 2, ports: [{ port: 80, name: 'a' }, { port: 81 }], labels: { 'a.b/c': 'y', 'd.e': 'z' } } }
  assert.deepEqual(additions(object, other), [
    ['spec.ports[0].name', 'a'],
    ['spec.ports[1].port', 81],
    ['spec.labels[d.e]', 'z'],
  ])
})

test('a value in one line reads as the same value', () => {
  const value = { a: ['x', '1', 'null', 'a: b', '010.0.0.1', ''], b: { 'c d': true, e: null, f: 1.5 } }
  assert.deepEqual(changed({}, `v = ${flow(value)}`), { v: value })
})
