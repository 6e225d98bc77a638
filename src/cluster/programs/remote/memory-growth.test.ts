import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryGrowth } from './memory-growth.ts'

const MB = 1 << 20

/** Samples as `container:megabytes`. */
function most(...samples: readonly string[]): number | undefined {
  const growth = new MemoryGrowth(0)
  for (const sample of samples) {
    const [container = 0, mb = 0] = sample.split(':').map(Number)
    growth.sample(container, mb * MB)
  }
  return growth.most()
}

const idle = (count: number, mb: number) => Array.from({ length: count }, () => `9:${mb}`)

for (const [rule, samples, blamed] of [
  ['without growth there is none to blame', ['1:0', '2:0'], undefined],
  ['one who grew in steps is blamed, not the one who ran last', ['1:100', '1:200', '2:201', '1:300', '2:301'], 1],
  ['memory that is given back is no growth', ['1:100', '1:20', '2:110', '2:200'], 2],
  ['growth of long ago counts less than that of now', ['1:300', ...idle(200, 300), '2:400'], 2],
] as const)
  test(rule, () => assert.equal(most(...samples), blamed))
