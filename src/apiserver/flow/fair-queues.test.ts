import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FairQueues, flowHash, type Leave, type QueueConfig } from './fair-queues.ts'

interface Request {
  readonly flow: number
  readonly give: () => void
  leave?: Leave
  gone?: true
}

/** Plays random arrivals, ends and departures, and checks the queues against a list of requests. */
async function play(config: QueueConfig, moves: readonly (readonly ['enter' | 'leave' | 'give', number])[]): Promise<void> {
  const queues = new FairQueues(config)
  const running: Request[] = []
  const waiting: Request[] = []
  for (const [move, pick] of moves) {
    if (move === 'enter') {
      const free = running.length < config.seats && waiting.length === 0
      const entry = queues.enter(flowHash(`flow ${pick % 4}`))
      if (free) assert.equal(entry.kind, 'run')
      if (entry.kind === 'run') running.push({ flow: pick % 4, give: () => {}, leave: entry.leave })
      if (entry.kind === 'refuse') assert.ok(config.queuing === undefined || waiting.length >= config.queuing.queueLengthLimit)
      if (entry.kind === 'wait') {
        const request: Request = { flow: pick % 4, give: entry.give }
        waiting.push(request)
        void entry.ready.then((leave) => {
          assert.equal(request.gone, undefined, 'a request that gave up gets no seat')
          const first = waiting.find(({ flow }) => flow === request.flow)
          if (config.queuing?.handSize === 1) assert.equal(first, request, 'a queue is served in order')
          waiting.splice(waiting.indexOf(request), 1)
          request.leave = leave
          running.push(request)
        })
      }
    }
    if (move === 'leave' && running.length > 0) {
      const [request] = running.splice(pick % running.length, 1)
      request?.leave?.()
      // A second call frees no second seat.
      request?.leave?.()
    }
    if (move === 'give' && waiting.length > 0) {
      const [request] = waiting.splice(pick % waiting.length, 1)
      if (request !== undefined) Object.assign(request, { gone: true }).give()
    }
    await new Promise(setImmediate)
    assert.equal(queues.running, running.length)
    assert.equal(queues.waiting, waiting.length)
    assert.ok(running.length <= config.seats)
    assert.ok(waiting.length === 0 || running.length === config.seats, 'no request waits while a seat is free')
  }
}

const moves = fc.array(fc.tuple(fc.constantFrom('enter', 'enter', 'leave', 'give'), fc.nat(50)), { maxLength: 60 })

for (const [rule, queuing] of [
  ['without queues', undefined],
  ['with queues', { queues: 8, handSize: 3, queueLengthLimit: 2 }],
  ['with one queue a flow', { queues: 64, handSize: 1, queueLengthLimit: 3 }],
] as const)
  test(`whatever comes and goes, seats and waiting requests are counted right: ${rule}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), moves, (seats, all) => play({ seats, ...(queuing && { queuing }) }, all)),
      { numRuns: 60 },
    )
  })

test('more seats let waiting requests run at once', async () => {
  const queuing = { queues: 4, handSize: 2, queueLengthLimit: 5 }
  const queues = new FairQueues({ seats: 1, queuing })
  queues.enter(1)
  const second = queues.enter(1)
  assert.equal(second.kind, 'wait')
  queues.reconfigure({ seats: 2, queuing })
  assert.deepEqual([queues.running, queues.waiting], [2, 0])
})
