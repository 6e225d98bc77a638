import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectMeta } from '../../../machinery/object.ts'
import type { Pod, PodSpec, PodStatus } from '../../pod/types.ts'
import { summarize } from './pod-columns.ts'

const now = Date.parse('2026-01-01T00:10:00Z')
type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number]
type State = NonNullable<ContainerStatus['state']>
const pod = (spec: PodSpec, status: PodStatus, metadata: ObjectMeta = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', ...metadata },
  spec: { containers: [{ name: 'main' }], ...spec },
  status,
})
const main = (state: State, more: ContainerStatus = {}) => ({ containerStatuses: [{ name: 'main', state, ...more }] })
const start = (state: State, more: ContainerStatus = {}) => ({ phase: 'Pending', initContainerStatuses: [{ name: 'in', state, ...more }] })
const init = { initContainers: [{ name: 'in' }] }
const sidecar = { initContainers: [{ name: 'in', restartPolicy: 'Always' }] }

const cases: readonly (readonly [Pod, ready: string, status: string, restarts: string])[] = [
  [pod({}, { phase: 'Pending' }), '0/1', 'Pending', '0'],
  [pod({}, { phase: 'Running', ...main({ running: {} }, { ready: true }) }), '1/1', 'Running', '0'],
  [
    pod({}, { phase: 'Running', ...main({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 3 }) }),
    '0/1',
    'CrashLoopBackOff',
    '3',
  ],
  [
    pod(
      {},
      {
        phase: 'Running',
        ...main({ running: {} }, { ready: true, restartCount: 1, lastState: { terminated: { finishedAt: '2026-01-01T00:05:00Z' } } }),
      },
    ),
    '1/1',
    'Running',
    '1 (5m ago)',
  ],
  [pod({}, { phase: 'Failed', ...main({ terminated: { exitCode: 2 } }) }), '0/1', 'ExitCode:2', '0'],
  [pod({}, { phase: 'Failed', reason: 'Evicted' }), '0/1', 'Evicted', '0'],
  [
    pod({}, { phase: 'Running', ...main({ running: {} }, { ready: true }) }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    '1/1',
    'Terminating',
    '0',
  ],
  [pod({}, { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] }), '0/1', 'SchedulingGated', '0'],
  [pod(init, start({ waiting: { reason: 'PodInitializing' } })), '0/1', 'Init:0/1', '0'],
  [pod(init, start({ terminated: { exitCode: 1 } }, { restartCount: 2 })), '0/1', 'Init:ExitCode:1', '2'],
  [pod(init, start({ waiting: { reason: 'ErrImagePull' } })), '0/1', 'Init:ErrImagePull', '0'],
  [
    pod(sidecar, {
      ...start({ running: {} }, { ready: true, started: true }),
      phase: 'Running',
      ...main({ running: {} }, { ready: true }),
    }),
    '2/2',
    'Running',
    '0',
  ],
]

for (const [object, ready, status, restarts] of cases)
  test(`the STATUS column: ${JSON.stringify(object)}`, () =>
    assert.deepEqual(summarize(object, now), { ready, status, restarts }, JSON.stringify(object.status)))
