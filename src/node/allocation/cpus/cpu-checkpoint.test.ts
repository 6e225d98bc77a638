import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { CheckpointError, fileCheckpoint } from '../../checkpoints/checkpoint-file.ts'
import { readCpuCheckpoint, writeCpuCheckpoint } from './cpu-checkpoint.ts'

const cpus = fc.uniqueArray(fc.nat({ max: 63 }), { maxLength: 12 }).map((ids) => new Set(ids.sort((a, b) => a - b)))
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
const exclusive = fc
  .dictionary(name, fc.dictionary(name, cpus, { minKeys: 1, maxKeys: 3, noNullPrototype: true }), { maxKeys: 4, noNullPrototype: true })
  .map((pods) => new Map(Object.entries(pods).map(([uid, containers]) => [uid, new Map(Object.entries(containers))])))
const checkpoint = fc
  .tuple(fc.constantFrom('none', 'static'), cpus, exclusive)
  .map(([policy, shared, held]) => ({ policy, ledger: { shared, exclusive: held } }))

test('what is written is read again', () => {
  fc.assert(fc.property(checkpoint, (state) => assert.deepEqual(readCpuCheckpoint(writeCpuCheckpoint(state)), state)))
})

test('a file that is cut short is refused', () => {
  fc.assert(
    fc.property(checkpoint, fc.double({ min: 0, max: 0.99, noNaN: true }), (state, part) => {
      const text = writeCpuCheckpoint(state)
      assert.throws(() => readCpuCheckpoint(text.slice(0, Math.floor(text.length * part))), CheckpointError)
    }),
  )
})

for (const [text, change] of [
  ['another policy', (s: string) => s.replace('"static"', '"none"')],
  ['other shared processors', (s: string) => s.replace('"0-1"', '"0-2"')],
  ['other processors of a container', (s: string) => s.replace('"2-3"', '"2"')],
  ['another container', (s: string) => s.replace('"main"', '"side"')],
  ['entries that are no map', (s: string) => s.replace(/"entries":\{.*\}\}/, '"entries":{"uid":3}')],
] as const)
  test(`a file that was changed to ${text} is corrupted`, () => {
    const ledger = { shared: new Set([0, 1]), exclusive: new Map([['uid', new Map([['main', new Set([2, 3])]])]]) }
    const written = writeCpuCheckpoint({ policy: 'static', ledger })
    assert.notEqual(change(written), written)
    assert.throws(() => readCpuCheckpoint(change(written)), { name: 'CheckpointError', message: 'checkpoint is corrupted' })
  })

test('a checkpoint in a file is private, leaves no draft, and is absent before the first write', () => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'checkpoint-'))
  try {
    const file = path.join(root, 'deep', 'state')
    const stored = fileCheckpoint(file)
    assert.equal(stored.read(), undefined)
    for (const text of ['one', 'two']) stored.write(text)
    assert.equal(stored.read(), 'two')
    assert.deepEqual(readdirSync(path.dirname(file)), ['state'])
    assert.deepEqual([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777], [0o600, 0o700])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
