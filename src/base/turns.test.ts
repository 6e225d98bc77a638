import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { giveTurn, nextTurn, pendingTurns } from './turns.ts'

/** How many pieces of work ran in each turn of the event loop: each takes so long, and there are so many at once. */
async function piecesPerTurn(count: number, pieceMs: number): Promise<readonly number[]> {
  let now = 0
  const clock = mock.method(performance, 'now', () => now)
  const turns: number[] = [0]
  let looking: NodeJS.Immediate | undefined
  const look = () => {
    turns.push(0)
    looking = setImmediate(look)
  }
  look()
  const piece = async () => {
    await giveTurn()
    now += pieceMs
    turns.push((turns.pop() ?? 0) + 1)
  }
  await Promise.all(Array.from({ length: count }, piece))
  clearImmediate(looking)
  clock.mock.restore()
  return turns
}

test('long work that many do at once does not add up to one long turn', async () => {
  const turns = await piecesPerTurn(100, 4)
  assert.equal(Math.max(...turns), 3)
  assert.equal(
    turns.reduce((sum, n) => sum + n, 0),
    100,
  )
})

test('one piece of work that takes longer than a turn is done, and nothing beside it', async () => {
  assert.equal(Math.max(...(await piecesPerTurn(10, 50))), 1)
})

test('short work is done in one turn', async () => {
  assert.equal(Math.max(...(await piecesPerTurn(1000, 0))), 1000)
})

test('who waits longest is called first, and counts as pending until then', async () => {
  const order: number[] = []
  let now = 0
  const clock = mock.method(performance, 'now', () => now)
  const again = (n: number) => {
    order.push(n)
    now += 20
    if (n < 6) nextTurn(() => again(n + 3))
  }
  const before = pendingTurns()
  for (const n of [0, 1, 2]) nextTurn(() => again(n))
  assert.equal(pendingTurns() - before, 3)
  while (order.length < 9) await new Promise((resolve) => void setImmediate(resolve))
  clock.mock.restore()
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8])
  assert.equal(pendingTurns(), before)
})
