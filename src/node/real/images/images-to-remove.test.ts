import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imagesToRemove, type RemovalInput, type SeenImage } from './images-to-remove.ts'

const MINUTE = 60_000
const limits = { highPercent: 85, lowPercent: 80, minimumAgeMs: 2 * MINUTE, maximumAgeMs: 0 }
const seen = (name: string, of: Partial<SeenImage> = {}, pinned = false): SeenImage => ({
  image: { name, id: name, sizeBytes: 10, ...(pinned && { pinned }) },
  firstSeenMs: 0,
  usedAtMs: 0,
  used: false,
  ...of,
})
const full = { capacityBytes: 100, availableBytes: 10 }

const ROWS: readonly [string, Partial<RemovalInput>, readonly string[]][] = [
  ['nothing while the file system has room', { disk: { capacityBytes: 100, availableBytes: 16 } }, []],
  ['one that was not used longest, until it is full as may be', {}, ['old']],
  ['more when one is not enough', { disk: { capacityBytes: 100, availableBytes: 0 } }, ['old', 'newer']],
  ['nothing at a limit of 100 per cent', { limits: { ...limits, highPercent: 100 } }, []],
  ['nothing that was just pulled', { nowMs: MINUTE, images: [seen('new', { firstSeenMs: MINUTE / 2 })] }, []],
  [
    'all that were unused for too long',
    { disk: { capacityBytes: 100, availableBytes: 90 }, limits: { ...limits, maximumAgeMs: 5 * MINUTE } },
    ['old'],
  ],
  [
    'nothing by its age, while the agent is younger',
    { disk: { capacityBytes: 100, availableBytes: 90 }, startedMs: 6 * MINUTE, limits: { ...limits, maximumAgeMs: 5 * MINUTE } },
    [],
  ],
]

for (const [what, input, expected] of ROWS)
  test(`removes ${what}`, () => {
    const images = [seen('newer', { usedAtMs: 7 * MINUTE }), seen('pinned', {}, true), seen('old'), seen('used', { used: true })]
    const removal = imagesToRemove({ images, limits, disk: full, startedMs: 0, nowMs: 10 * MINUTE, ...input })
    assert.deepEqual(
      removal.images.map(({ name }) => name),
      expected,
    )
  })

test('tells how much it wanted and found', () => {
  const { wantedBytes, freedBytes } = imagesToRemove({ images: [], limits, disk: full, startedMs: 0, nowMs: MINUTE })
  assert.deepEqual([wantedBytes, freedBytes], [10, 0])
})
