import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monitorTurns, type TurnClocks, TurnRecord } from './turn-monitor.ts'

/** A record after looks at these readings of wall clock and processor time, in milliseconds; the first is its beginning. */
function recordOf(...readings: readonly (readonly [wallMs: number, cpuMs: number])[]): TurnRecord {
  const left: TurnClocks[] = readings.map(([wallMs, cpuMs]) => ({ wallMs, cpuMs }))
  const record = new TurnRecord(() => left.shift() ?? { wallMs: 0, cpuMs: 0 })
  while (left.length > 0) record.look()
  return record
}

const ROWS: readonly [
  name: string,
  readings: readonly (readonly [number, number])[],
  longest: readonly [ms: number, cpuMs: number, long: number],
][] = [
  [
    'looks that come in time',
    [
      [0, 0],
      [20, 1],
      [40, 2],
    ],
    [0, 0, 0],
  ],
  [
    'a look that is early',
    [
      [0, 0],
      [19, 1],
    ],
    [0, 0, 0],
  ],
  [
    'a turn that worked',
    [
      [0, 0],
      [80, 65],
    ],
    [60, 60, 0],
  ],
  [
    'a turn that waited for other processes',
    [
      [0, 0],
      [80, 3],
    ],
    [60, 3, 0],
  ],
  [
    'a turn of 100 ms is not long',
    [
      [0, 0],
      [120, 0],
    ],
    [100, 0, 0],
  ],
  [
    'a longer one is',
    [
      [0, 0],
      [121, 0],
    ],
    [101, 0, 1],
  ],
  [
    'the longest of several',
    [
      [0, 0],
      [320, 300],
      [360, 320],
      [580, 500],
    ],
    [300, 300, 2],
  ],
]
for (const [name, readings, [longestMs, longestCpuMs, long]] of ROWS)
  test(`turns: ${name}`, () => {
    const record = recordOf(...readings)
    assert.deepEqual(
      { longestMs: record.longestMs, longestCpuMs: record.longestCpuMs, long: record.long },
      { longestMs, longestCpuMs, long },
    )
  })

test('a reset forgets, and measures from now on', () => {
  const readings: TurnClocks[] = [0, 500, 1000, 1050].map((ms) => ({ wallMs: ms, cpuMs: ms }))
  const record = new TurnRecord(() => readings.shift() ?? { wallMs: 0, cpuMs: 0 })
  record.look()
  assert.equal(record.longestMs, 480)
  record.reset()
  assert.deepEqual([record.longestMs, record.longestCpuMs, record.long], [0, 0, 0])
  record.look()
  assert.equal(record.longestMs, 30)
})

test('the monitor of this thread begins at nothing and can be reset', () => {
  using monitor = monitorTurns()
  monitor.reset()
  assert.deepEqual([monitor.longestMs, monitor.longestCpuMs, monitor.long], [0, 0, 0])
})
