import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coverageByRoom, coverageTable } from '../../scripts/coverage-by-room.ts'

const record = (file: string, branches: number, taken: number) => `TN:\nSF:${file}\nDA:1,1\nBRF:${branches}\nBRH:${taken}\nend_of_record\n`

test('branches are summed up by room; tests and contracts do not count', () => {
  const lcov =
    record('src/node/agent.ts', 10, 5) +
    record('/work/src/node/pod/x.ts', 10, 10) +
    record('src/base/clock.ts', 4, 3) +
    record('src/base/clock.test.ts', 100, 1) +
    record('src/storage/store.contract.ts', 100, 1) +
    record('scripts/test.ts', 100, 1)
  assert.deepEqual(coverageByRoom(lcov), [
    { room: 'base', files: 1, branches: 4, taken: 3 },
    { room: 'node', files: 2, branches: 20, taken: 15 },
  ])
})

test('the table ends with the sum', () => {
  const table = coverageTable([
    { room: 'base', files: 1, branches: 4, taken: 3 },
    { room: 'empty', files: 1, branches: 0, taken: 0 },
  ])
  assert.deepEqual(table.split('\n').slice(2), ['| base | 1 | 4 | 75.0 % |', '| empty | 1 | 0 | – |', '| all | 2 | 4 | 75.0 % |'])
})
