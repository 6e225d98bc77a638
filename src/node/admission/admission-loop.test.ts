import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../resources/types/core.ts'
import type { AdmitHandler, Refusal } from '../types/admit-handler.ts'
import type { Pod } from '../types/pod.ts'
import { runAdmission } from './admission-loop.ts'
import { AdmissionQueue } from './admission-queue.ts'
import { admitHandlers } from './admit-handlers.ts'
import { PodTable } from './pod-table.ts'

const pod = (uid: string, more: Partial<Pod['metadata']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: uid, uid, ...more },
  spec: { containers: [] },
  status: {},
})
const NODE: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }
const REFUSED: Refusal = { reason: 'No', message: 'no' }

/** A node whose one handler decides by this function. */
function openAdmission(decide: (pod: Pod) => Promise<Refusal | undefined>, more: Partial<AdmitHandler> = {}) {
  const pods = new PodTable()
  const log: string[] = []
  const handler: AdmitHandler = {
    name: 'h',
    admit: ({ pod: requested }) => {
      log.push(`ask ${requested.metadata.uid}`)
      return decide(requested)
    },
    release: (released) => void log.push(`release ${released.metadata.uid}`),
    ...more,
  }
  const queue = new AdmissionQueue({
    handlers: [handler],
    runtime: { sandboxes: () => [], containers: () => [] },
    arrivals: () => pods.arrivals(),
    recovered: () => new Map(),
  })
  const stop = new AbortController()
  let node: Node | undefined = NODE
  const deps = {
    pods,
    queue,
    handlers: admitHandlers([handler]),
    node: () => node,
    recovered: () => false,
    preempt: async () => {},
    admit: (admitted: Pod) => {
      pods.apply(admitted.metadata.uid ?? '', { kind: 'admitted', pod: admitted })
      log.push(`admit ${admitted.metadata.uid}@${admitted.metadata.resourceVersion ?? ''}`)
    },
    refuse: (refused: Pod) => {
      pods.apply(refused.metadata.uid ?? '', { kind: 'refused', pod: refused, running: false })
      log.push(`refuse ${refused.metadata.uid}`)
    },
  }
  const done = runAdmission(deps, stop.signal)
  return {
    log,
    pods,
    arrive(arrived: Pod) {
      pods.apply(arrived.metadata.uid ?? '', { kind: 'arrived', pod: arrived })
      queue.arrived(arrived)
    },
    go(uid: string) {
      queue.left(uid)
      pods.apply(uid, { kind: 'object-gone' })
    },
    setNode(next: Node | undefined) {
      node = next
      queue.lookAgain()
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
    },
  }
}

/** Lets all ready promises and timers run. */
const turns = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

test('pods are admitted one after the other, in the order in which they came', async () => {
  const open: (() => void)[] = []
  await using at = openAdmission(() => new Promise((resolve) => open.push(() => resolve(undefined))))
  for (const uid of ['a', 'b']) at.arrive(pod(uid))
  await turns()
  assert.deepEqual(at.log, ['ask a'])
  open[0]?.()
  await turns()
  open[1]?.()
  await turns()
  assert.deepEqual(at.log, ['ask a', 'admit a@', 'ask b', 'admit b@'])
})

test('no pod is admitted before the node is known', async () => {
  await using at = openAdmission(async () => undefined)
  at.setNode(undefined)
  await turns()
  at.arrive(pod('a'))
  await turns()
  assert.deepEqual(at.log, [])
  at.setNode(NODE)
  await turns()
  assert.deepEqual(at.log, ['ask a', 'admit a@'])
})

test("the version that arrived during the handlers' decision is started", async () => {
  let answer = () => {}
  await using at = openAdmission(() => new Promise((resolve) => (answer = () => resolve(undefined))))
  at.arrive(pod('a', { resourceVersion: '1' }))
  await turns()
  at.arrive(pod('a', { resourceVersion: '2' }))
  answer()
  await turns()
  assert.deepEqual(at.log, ['ask a', 'admit a@2'])
})

for (const [refusal, log] of [
  [undefined, ['ask a', 'release a']],
  // Regression: the status was retried every second for an object that does not exist any more.
  [REFUSED, ['ask a']],
] as const)
  test(`a pod that is deleted during the handlers' decision is neither started nor refused, if they ${refusal ? 'refuse' : 'admit'} it`, async () => {
    let answer = () => {}
    await using at = openAdmission(() => new Promise((resolve) => (answer = () => resolve(refusal))))
    at.arrive(pod('a'))
    await turns()
    at.go('a')
    answer()
    await turns()
    assert.deepEqual(at.log, log)
    assert.equal(at.pods.isRefused('a'), false)
  })

test('a handler prepares a pod while others are admitted; a preparation that fails is the refusal', async () => {
  const prepared = new Map<string, (r: Refusal | undefined) => void>()
  const prepare: AdmitHandler['prepare'] = ({ pod: { metadata } }) =>
    metadata.uid?.startsWith('slow') ? new Promise((resolve) => prepared.set(metadata.uid ?? '', resolve)) : undefined
  await using at = openAdmission(async () => undefined, { prepare })
  for (const uid of ['slow1', 'slow2', 'quick']) at.arrive(pod(uid))
  await turns()
  assert.deepEqual(at.log, ['ask quick', 'admit quick@'])
  prepared.get('slow2')?.(REFUSED)
  await turns()
  prepared.get('slow1')?.(undefined)
  await turns()
  assert.deepEqual(at.log.slice(2), ['refuse slow2', 'ask slow1', 'admit slow1@'])
})

test('a pod that is deleted during its preparation releases its resources when that ends', async () => {
  let end = () => {}
  const prepare: AdmitHandler['prepare'] = () => new Promise((resolve) => (end = () => resolve(undefined)))
  await using at = openAdmission(async () => undefined, { prepare })
  at.arrive(pod('a'))
  await turns()
  at.go('a')
  assert.deepEqual(at.log, [])
  end()
  await turns()
  assert.deepEqual(at.log, ['release a'])
})

test('a pod that is to be deleted is not prepared, and its preparation ends', async () => {
  const aborted: string[] = []
  const prepare: AdmitHandler['prepare'] = ({ pod: { metadata } }, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted.push(metadata.uid ?? '')
        reject(signal.reason)
      })
    })
  await using at = openAdmission(async () => undefined, { prepare })
  at.arrive(pod('a'))
  await turns()
  at.arrive(pod('a', { deletionTimestamp: '2026-01-01T00:00:00Z' }))
  at.arrive(pod('b', { deletionTimestamp: '2026-01-01T00:00:00Z' }))
  await turns()
  assert.deepEqual(aborted, ['a'])
  assert.deepEqual(at.log.sort(), ['admit a@', 'admit b@', 'ask a', 'ask b'])
})
