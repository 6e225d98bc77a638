import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryIn } from './machine-memory.ts'

test('files that were not read of late do not belong to the working set', () => {
  const meminfo = 'MemTotal:       1000 kB\nMemFree:         200 kB\nInactive:        300 kB\nInactive(file):  100 kB\nAnonPages: 50 kB\n'
  const kib = { capacity: 1000, workingSet: 700, usage: 800, resident: 50 }
  assert.deepEqual(memoryIn(meminfo), Object.fromEntries(Object.entries(kib).map(([name, n]) => [`${name}Bytes`, n * 1024])))
})

test('what cannot be read is nothing', () =>
  assert.deepEqual(memoryIn(''), { capacityBytes: 0, workingSetBytes: 0, usageBytes: 0, residentBytes: 0 }))
