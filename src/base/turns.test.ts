import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TurnQueue } from './turns.ts'

/** A queue whose time passes while its functions run, and at no other time. */
function timedQueue() {
  const time = { ms: 0 }
  return { time, queue: new TurnQueue(() => time.ms) }
}

/** How many pieces of work ran in each turn of the event loop: each takes so long, and there are so many at once. */
async function piecesPerTurn(count: number, pieceMs: number): Promise<readonly number[]> {
  const { time, queue } = timedQueue()
  const turns: number[] = [0]
  let looking: NodeJS.Immediate | undefined
  const look = () => {
    turns.push(0)
    looking = setImmediate(look)
  }
  look()
  const piece = async () => {
    await new Promise<void>((resolve) => queue.add(resolve))
    time.ms += pieceMs
    turns.push((turns.pop() ?? 0) + 1)
  }
  await Promise.all(Array.from({ length: count }, piece))
  clearImmediate(looking)
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

test('who waits longest is called first, and counts until then', async () => {
  const { time, queue } = timedQueue()
  const order: number[] = []
  const again = (n: number) => {
    order.push(n)
    time.ms += 20
    if (n < 6) queue.add(() => again(n + 3))
  }
  for (const n of [0, 1, 2]) queue.add(() => again(n))
  assert.equal(queue.size, 3)
  while (order.length < 9) await new Promise((resolve) => void setImmediate(resolve))
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8])
  assert.equal(queue.size, 0)
})
