import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quantitiesOf } from './group-amounts.ts'
import { type ResizeDirection, type ResizedResource, resizeSteps } from './resize-steps.ts'

const HELD = { cpuShares: 102, cpuQuotaUs: 20_000, memoryLimitBytes: 64 }

const ROWS: readonly (readonly [rule: string, wanted: object, ResizedResource, ResizeDirection, steps: readonly object[]])[] = [
  [
    'a limit grows before what is asked for',
    { cpuShares: 153, cpuQuotaUs: 30_000 },
    'cpu',
    'up',
    [{ cpuQuotaUs: 30_000 }, { cpuShares: 153 }],
  ],
  ['what shrinks waits', { cpuShares: 51, cpuQuotaUs: 30_000 }, 'cpu', 'up', [{ cpuQuotaUs: 30_000 }]],
  ['what grows was done before', { cpuShares: 51, cpuQuotaUs: 30_000 }, 'cpu', 'down', [{ cpuShares: 51 }]],
  ['no limit is more than any', { memoryLimitBytes: -1 }, 'memory', 'up', [{ memoryLimitBytes: -1 }]],
  ['nothing changes', HELD, 'memory', 'up', []],
]
for (const [rule, wanted, resource, direction, steps] of ROWS)
  test(`the group of a pod is resized: ${rule}`, () => assert.deepEqual(resizeSteps(HELD, wanted, { resource, direction }), steps))

test('cgroup figures are read as quantities; unlimited memory as the kernel writes it', () => {
  assert.deepEqual(quantitiesOf({ cpuShares: 153, cpuQuotaUs: 30_000, cpuPeriodUs: 100_000, memoryLimitBytes: 64 << 20 }), {
    limits: { cpu: '300m', memory: '64Mi' },
    requests: { cpu: '150m' },
  })
  assert.deepEqual(quantitiesOf({ cpuShares: 2, cpuQuotaUs: -1, memoryLimitBytes: -1 }, '1Pi'), { limits: { memory: '1Pi' }, requests: {} })
})
