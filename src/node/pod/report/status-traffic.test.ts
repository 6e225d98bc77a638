import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusTraffic } from './status-traffic.ts'

/** Starts so many writes, each of which lasts until its function is called. */
function crowd(traffic: StatusTraffic): (() => void)[] {
  const ends: (() => void)[] = []
  while (!traffic.crowded) void traffic.write(() => new Promise<void>((resolve) => ends.push(resolve)))
  return ends
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('what may wait begins in its order as others end, each when there is room', async () => {
  const traffic = new StatusTraffic()
  const ends = crowd(traffic)
  const begun: string[] = []
  const later = (name: string) =>
    traffic.later(() => {
      begun.push(name)
      void traffic.write(() => new Promise<void>((resolve) => ends.push(resolve)))
    })
  later('a')
  const takeBack = later('b')
  later('c')
  assert.deepEqual(begun, [])
  ends[0]?.()
  await turn()
  assert.deepEqual(begun, ['a'])
  takeBack()
  ends[1]?.()
  await turn()
  assert.deepEqual(begun, ['a', 'c'])
  assert.equal(traffic.crowded, true)
})

test('without writes in flight nothing waits; a failed write frees its slot', async () => {
  const traffic = new StatusTraffic()
  let begun = 0
  traffic.later(() => begun++)
  assert.equal(begun, 1)
  const ends = crowd(traffic)
  traffic.later(() => begun++)
  assert.equal(begun, 1)
  const failing = traffic.write(() => Promise.reject(new Error('refused')))
  await assert.rejects(failing, /refused/)
  assert.equal(begun, 1, 'the others are still there')
  ends[0]?.()
  await turn()
  assert.equal(begun, 2)
})

test('so many are on their way at most; the others have their turn in the order in which they came, also behind one that fails', async () => {
  const traffic = new StatusTraffic()
  const ends: ((error?: Error) => void)[] = []
  const begun: number[] = []
  const outcomes = Array.from({ length: 80 }, (_, i) =>
    traffic.write(() => {
      begun.push(i)
      return new Promise<number>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve(i))))
    }),
  )
  const failed = assert.rejects(outcomes[0] ?? Promise.resolve(), /refused/)
  assert.equal(begun.length, 64)
  ends[0]?.(new Error('refused'))
  await failed
  await turn()
  assert.equal(begun.length, 65)
  for (let i = 1; i < 80; i++) {
    ends[i]?.()
    await outcomes[i]
    await turn()
  }
  assert.deepEqual(begun, [...Array(80).keys()])
  assert.equal(traffic.crowded, false)
})
