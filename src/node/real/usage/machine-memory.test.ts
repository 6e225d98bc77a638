import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryIn } from './machine-memory.ts'

test('files that were not read of late do not belong to the working set', () => {
  const meminfo = 'MemTotal:       1000 kB\nMemFree:         200 kB\nInactive:        300 kB\nInactive(file):  100 kB\n'
  assert.deepEqual(memoryIn(meminfo), { capacityBytes: 1000 * 1024, workingSetBytes: 700 * 1024 })
})

test('what cannot be read is nothing', () => assert.deepEqual(memoryIn(''), { capacityBytes: 0, workingSetBytes: 0 }))
