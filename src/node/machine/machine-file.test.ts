import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { readHostMachine } from './host-machine.ts'
import { MachineError } from './machine.ts'
import { readMachine } from './machine-file.ts'

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/topology.md'), 'utf8')
const HEAD = { apiVersion: 'bowsprit.dev/v1', kind: 'Machine' }

test('the irregular machine of docs/topology.md is parsed as described', () => {
  const text = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const { machine } = readMachine(text)
  assert.deepEqual(machine.layout.nodes, [0, 1, 2])
  assert.deepEqual(
    machine.cpus.map((c) => [c.id, c.core, c.cache, c.socket, c.node]),
    [
      [0, 0, 0, 0, 0],
      [1, 1, 1, 0, 0],
      [2, 0, 0, 0, 0],
      [3, 1, 1, 0, 0],
      [4, 4, 2, 0, 1],
      [5, 5, 2, 0, 1],
    ],
  )
  assert.deepEqual(machine.memory.get(0), { memory: 8 * 2 ** 30, 'hugepages-2Mi': 2 ** 28 })
})

test('every description gives a machine or a MachineError', () => {
  const value = fc.oneof(
    fc.integer({ min: -2, max: 40 }),
    fc.constantFrom('1Gi', '-1', '0-3', 'x', '1.5'),
    fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 }),
  )
  const fields = [
    'sockets',
    'numaNodesPerSocket',
    'coresPerNumaNode',
    'threadsPerCore',
    'cachesPerNumaNode',
    'memoryPerNumaNode',
    'distances',
    'numaNodes',
  ]
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), value, { noNullPrototype: true }), (written) => {
      try {
        const { machine } = readMachine(JSON.stringify({ ...HEAD, ...written }))
        assert.ok(machine.cpus.length > 0 && machine.cpus.every((c) => machine.memory.has(c.node)))
      } catch (error) {
        assert.ok(error instanceof MachineError, String(error))
      }
    }),
  )
})

test('this machine is one', { skip: process.platform !== 'linux' }, () => {
  const machine = readHostMachine()
  assert.ok(machine.cpus.length > 0)
  assert.ok([...machine.memory.values()].some((amounts) => (amounts.memory ?? 0) > 0))
})
