import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeYaml } from '../../../machinery/yaml/yaml.ts'
import { readJson, readYaml } from './body-text.ts'

const entityTooLarge = { name: 'StatusError', message: 'Request entity too large: the body has more than 500000 values' }

test('a body has as many values as an object may need, and not more', async () => {
  assert.equal(((await readJson(Buffer.from(`[${'1,'.repeat(499_000)}1]`))).value as unknown[]).length, 499_001)
  await assert.rejects(readJson(Buffer.from(`[${'{},'.repeat(500_000)}1]`)), entityTooLarge)
  await assert.rejects(readYaml(Buffer.from(`{a: [${'b,'.repeat(500_000)}c]}`), false), entityTooLarge)
})

test('a long document is read in another thread, as it would be in this one', async () => {
  const long = Array.from({ length: 5000 }, (_, i) => `k${i}: {z: [1.5, 9223372036854775807, "x"], a: "<é>"}`).join('\n')
  assert.ok(long.length > 64 * 1024)
  const [once, again] = await Promise.all([readYaml(Buffer.from(long), false), readYaml(Buffer.from(`${long}\nk0: 1\nk0: 2`), false)])
  assert.deepEqual(once, decodeYaml(long))
  assert.deepEqual(again, decodeYaml(`${long}\nk0: 1\nk0: 2`))
  await assert.rejects(readYaml(Buffer.from(`${long}\n}`), false), { name: 'YamlError' })
})

test('while a long document is read the loop turns', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await readYaml(Buffer.from('- a\n'.repeat(100_000)), false)
  clearImmediate(timer)
  assert.ok(turns > 10, `${turns} turns`)
})
