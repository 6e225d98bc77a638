import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { upstream } from '../../../../test/upstream.ts'
import { readCpuCheckpoint, writeCpuCheckpoint } from '../cpus/cpu-checkpoint.ts'
import { readMemoryCheckpoint, writeMemoryCheckpoint } from '../memory/memory-checkpoint.ts'

interface Recorded {
  readonly before?: { readonly cpuCheckpoint?: object; readonly memoryCheckpoint?: object }
}

const { groups }: { readonly groups: readonly Recorded[] } = JSON.parse(readFileSync(path.join(upstream, 'node/cpu-memory.json'), 'utf8'))

test("the kubelet's own checkpoints are read, and written again to the letter, checksum included", () => {
  let compared = 0
  for (const { before } of groups) {
    if (before?.cpuCheckpoint !== undefined) {
      const text = JSON.stringify(before.cpuCheckpoint)
      assert.equal(writeCpuCheckpoint(readCpuCheckpoint(text)), text)
      compared++
    }
    if (before?.memoryCheckpoint !== undefined) {
      const text = JSON.stringify(before.memoryCheckpoint)
      assert.deepEqual(JSON.parse(writeMemoryCheckpoint(readMemoryCheckpoint(text))), JSON.parse(text))
      compared++
    }
  }
  assert.ok(compared > 20)
})

test('what was changed by hand is corrupted', () => {
  const whole = writeCpuCheckpoint({ policy: 'static', ledger: { shared: new Set([0, 1, 2]), exclusive: new Map() } })
  assert.throws(() => readCpuCheckpoint(whole.replace('0-2', '0-1')), { message: 'checkpoint is corrupted' })
  assert.throws(() => readCpuCheckpoint('not json'), { message: "invalid character 'o' in literal null (expecting 'u')" })
  assert.throws(() => readMemoryCheckpoint('null'), { message: 'checkpoint is corrupted' })
})

const cpus = fc
  .uniqueArray(fc.integer({ min: 0, max: 64 }), { minLength: 1, maxLength: 6 })
  .map((list) => new Set(list.sort((a, b) => a - b)))
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)

test('every checkpoint is restored from its text, but not if it is truncated or changed', () => {
  const ledger = fc.record({
    shared: cpus,
    exclusive: fc.uniqueArray(fc.tuple(name, fc.uniqueArray(fc.tuple(name, cpus), { selector: ([n]) => n, minLength: 1, maxLength: 3 })), {
      selector: ([n]) => n,
      maxLength: 4,
    }),
  })
  fc.assert(
    fc.property(ledger, fc.nat(), ({ shared, exclusive }, cut) => {
      const held = { shared, exclusive: new Map(exclusive.map(([uid, containers]) => [uid, new Map(containers)])) }
      const text = writeCpuCheckpoint({ policy: 'static', ledger: held })
      assert.deepEqual(readCpuCheckpoint(text), { policy: 'static', ledger: held })
      assert.throws(() => readCpuCheckpoint(text.slice(0, cut % text.length)))
    }),
  )
})
