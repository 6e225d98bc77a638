import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FifoQueue } from './fifo-queue.ts'

test('what comes out came in, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean()), (steps) => {
      const queue = new FifoQueue<{ n: number }>()
      const waiting: number[] = []
      steps.forEach((adds, n) => {
        if (adds) {
          queue.add({ n })
          waiting.push(n)
        } else assert.equal(queue.take()?.n, waiting.shift())
        assert.deepEqual([queue.size, queue.first?.n], [waiting.length, waiting[0]])
      })
    }),
  )
})

test('many thousand items pass through', () => {
  const queue = new FifoQueue<{ n: number }>()
  for (let n = 0; n < 10_000; n++) {
    queue.add({ n })
    if (n > 1) assert.equal(queue.take()?.n, n - 2)
  }
  assert.equal(queue.size, 2)
})
