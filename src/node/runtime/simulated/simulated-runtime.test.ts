import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { seededRandom } from '../../../base/random.ts'
import { restoredPod } from '../../recovery/restoring-feed.ts'
import { passingTime } from '../passing-time.double.ts'
import { runtimeContract } from '../runtime.contract.ts'
import { defaultScript, type Script } from './behaviour.ts'
import { createSimulatedRuntime } from './simulated-runtime.ts'

/** A script for the contract's commands. */
const script: Script = {
  ...defaultScript,
  container: (c) => (c.spec.command[0] === 'stay' ? { onStop: 'ignore', logs: ['ready'] } : defaultScript.container(c)),
}

runtimeContract('simulated runtime', async () => {
  const clock = new VirtualClock()
  const runtime = createSimulatedRuntime({ clock, random: seededRandom(1), script, podSubnets: ['10.1.2.'] })
  return {
    runtime,
    image: 'app',
    greets: ['echo', 'hello'],
    fails: ['exit 3'],
    lasts: ['last'],
    stays: ['stay'],
    says: ['echo', 'hi'],
    refuses: ['exit 7'],
    sleeps: ['sleep 3600'],
    ...passingTime(clock),
    async [Symbol.asyncDispose]() {},
  }
})

test('what ran before this process brings its image along, which has not to be pulled again', async () => {
  const clock = new VirtualClock()
  const runtime = createSimulatedRuntime({ clock, random: seededRandom(1), podSubnets: ['10.1.2.'] })
  const never = new AbortController().signal
  const running = { name: 'c', image: 'nginx:1', imageID: 'x', containerID: 'simulated://id', restartCount: 0, ready: true, started: true }
  const reported = restoredPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', uid: 'u' },
    spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
    status: {
      phase: 'Running',
      podIPs: [{ ip: '10.1.2.9' }],
      containerStatuses: [{ ...running, state: { running: { startedAt: '2026-01-01T00:00:00Z' } }, lastState: {} }],
    },
  })
  assert.ok(reported)
  runtime.restore(reported)
  const found = await runtime.imageStatus('nginx:1', never)
  assert.match(found?.id ?? '', /^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/)
  assert.deepEqual(await runtime.pullImage({ image: 'nginx:1' }, never), found)
})
