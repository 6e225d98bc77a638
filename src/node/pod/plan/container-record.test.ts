import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerStatus, RuntimePod } from '../../runtime/runtime.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { observeContainers, readyNext } from './container-record.ts'

const RUNNING: ContainerStatus = {
  id: 'c1',
  sandboxId: 's1',
  pod: { uid: 'u', name: 'p', namespace: 'default' },
  name: 'main',
  attempt: 0,
  state: 'running',
  image: { name: 'app', id: 'app' },
  createdAtMs: 0,
  startedAtMs: 1,
  annotations: {},
  labels: {},
} as unknown as ContainerStatus

const probes = { started: () => true, ready: () => true }
const amounts = { allocated: () => undefined, reported: () => undefined }

function observe(container: Container, before: readonly ContainerRecord[]): ContainerRecord {
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [container] }, status: {} }
  const runtime: RuntimePod = { sandboxes: [], containers: [RUNNING] }
  const [record] = observeContainers({ pod, runtime, before, failures: new Map(), probes, amounts })
  assert.ok(record)
  return record
}

test('a container with a startup probe is reported started before ready; one without is ready at once', () => {
  const plain: Container = { name: 'main', image: 'app' }
  assert.deepEqual([observe(plain, []).started, observe(plain, []).ready], [true, true])
  const probed: Container = { ...plain, startupProbe: { periodSeconds: 1 } }
  const first = observe(probed, [])
  assert.deepEqual([first.started, first.ready, readyNext(first, probes)], [true, false, true])
  const second = observe(probed, [first])
  assert.deepEqual([second.started, second.ready, readyNext(second, probes)], [true, true, false])
})
