/** What a runtime has begun when its pod is deleted, or when its agent is killed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orAborted } from '../base/on-abort.ts'
import { PODS } from '../resources/refs.ts'
import { openNode } from './open-node.double.ts'
import type { Runtime } from './runtime/runtime.ts'
import { RuntimeError } from './runtime/runtime-error.ts'

const never = new AbortController().signal

/** A runtime that does something only when `until` resolves. What was begun goes on; the caller may stop waiting. */
const WAITING: Readonly<Record<string, (runtime: Runtime, until: Promise<void>) => Partial<Runtime>>> = {
  'its sandbox is being made': ({ runSandbox }, until) => ({
    runSandbox: (spec, signal) =>
      orAborted(
        until.then(() => runSandbox(spec, never)),
        signal,
      ),
  }),
  'its container is being created': ({ createContainer }, until) => ({
    createContainer: (sandbox, spec, signal) =>
      orAborted(
        until.then(() => createContainer(sandbox, spec, never)),
        signal,
      ),
  }),
  'its container is being started': ({ startContainer }, until) => ({
    startContainer: (id, signal) =>
      orAborted(
        until.then(() => startContainer(id, never)),
        signal,
      ),
  }),
}

for (const [when, waiting] of Object.entries(WAITING))
  test(`a pod that is deleted while ${when} waits for it, and leaves nothing`, async () => {
    const done = Promise.withResolvers<void>()
    await using node = await openNode({ wrap: (runtime) => ({ ...runtime, ...waiting(runtime, done.promise) }) })
    const exists = () => node.pod('hanging').then(Boolean, () => false)
    await node.create('hanging', { terminationGracePeriodSeconds: 1 })
    await node.client.delete({ ...PODS, namespace: 'default', name: 'hanging' })
    await node.clock.advance(30_000)
    assert.ok(await exists())
    done.resolve()
    await node.clock.advance(30_000)
    assert.equal(await exists(), false)
    const [sandboxes, containers] = [await node.runtime.sandboxes({}, never), await node.runtime.containers({}, never)]
    assert.deepEqual([sandboxes.filter(({ state }) => state === 'ready'), containers.filter(({ state }) => state === 'running')], [[], []])
  })

test('a sandbox is not stopped while the runtime starts a container for an agent that was killed', async () => {
  let starting = false
  const stopped: boolean[] = []
  const wrap = (runtime: Runtime): Runtime => ({
    ...runtime,
    startContainer(_id, signal) {
      starting = true
      return orAborted(new Promise<never>(() => {}), signal)
    },
    async removeContainer(id, signal) {
      if (starting) throw new RuntimeError('runtime', 'container is in starting state')
      return runtime.removeContainer(id, signal)
    },
    stopSandbox(id, signal) {
      stopped.push(starting)
      return runtime.stopSandbox(id, signal)
    },
  })
  await using node = await openNode({ wrap })
  await node.create('p', { terminationGracePeriodSeconds: 1 })
  await node.stop()
  await node.client.delete({ ...PODS, namespace: 'default', name: 'p' })
  await node.start()
  await node.clock.advance(10_000)
  assert.deepEqual(stopped, [])
  const refusal = 'failed to "KillContainer" for "main" with KillContainerError: "container is in starting state"'
  assert.ok((await node.said('p')).includes(`FailedKillPod: error killing pod: ${refusal}`))
  starting = false
  await node.clock.advance(30_000)
  assert.equal(stopped[0], false)
  assert.deepEqual(await node.runtime.containers({}, never), [])
})

test('a pod that is deleted while the runtime is down keeps its object until the runtime has stopped it', async () => {
  let down = false
  const reached = (runtime: Runtime): Runtime => {
    if (down) throw new RuntimeError('unavailable', 'connection refused')
    return runtime
  }
  const wrap = (runtime: Runtime): Runtime => ({
    ...runtime,
    sandboxes: async (filter, signal) => reached(runtime).sandboxes(filter, signal),
    containers: async (filter, signal) => reached(runtime).containers(filter, signal),
    stopContainer: async (...how) => reached(runtime).stopContainer(...how),
    stopSandbox: async (...which) => reached(runtime).stopSandbox(...which),
  })
  await using node = await openNode({ wrap })
  const exists = () => node.pod('p').then(Boolean, () => false)
  await node.create('p', { terminationGracePeriodSeconds: 1 })
  await node.clock.advance(10_000)
  down = true
  await node.client.delete({ ...PODS, namespace: 'default', name: 'p' })
  await node.clock.advance(60_000)
  assert.ok(await exists())
  const running = async () => (await node.runtime.containers({}, never)).filter(({ state }) => state === 'running').length
  assert.equal(await running(), 1)
  down = false
  await node.clock.advance(30_000)
  assert.deepEqual([await exists(), await running()], [false, 0])
})
