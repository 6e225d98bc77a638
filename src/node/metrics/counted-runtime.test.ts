import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { exposition } from '../../base/exposition.ts'
import { seededRandom } from '../../base/random.ts'
import { RuntimeError } from '../runtime/runtime-error.ts'
import { createSimulatedRuntime } from '../runtime/simulated/simulated-runtime.ts'
import { countedRuntime } from './counted-runtime.ts'
import { PodMetrics } from './pod-metrics.ts'

const never = new AbortController().signal

test('calls of the runtime are counted by the verbs of the kubelet, and those that fail apart', async () => {
  const clock = new VirtualClock()
  const metrics = new PodMetrics()
  const runtime = countedRuntime(createSimulatedRuntime({ clock, random: seededRandom(1), podSubnets: ['10.1.0.'] }), metrics, clock)
  await runtime.containers({}, never)
  await runtime.sandboxes({}, never)
  await runtime.containers({}, never)
  await assert.rejects(runtime.startContainer('unknown', never), RuntimeError)
  const lines = exposition(metrics.families()).split('\n')
  for (const line of [
    'kubelet_runtime_operations_total{operation_type="list_containers"} 2',
    'kubelet_runtime_operations_total{operation_type="list_podsandbox"} 1',
    'kubelet_runtime_operations_duration_seconds_count{operation_type="start_container"} 1',
    'kubelet_runtime_operations_errors_total{operation_type="start_container"} 1',
  ])
    assert.ok(lines.includes(line), line)
})

test('pulls are counted by the size of the image, sandboxes by their handler', () => {
  const metrics = new PodMetrics()
  metrics.pulled(9 * 1024 * 1024, 0.4)
  metrics.pulled(700 * 1024 * 1024, 12)
  metrics.sandboxMade('', 0.02, false)
  metrics.sandboxMade('gvisor', 1, true)
  metrics.starting('sidecar')
  metrics.startFailed('main', 'ErrImagePull')
  const lines = exposition(metrics.families()).split('\n')
  for (const line of [
    'kubelet_image_pull_duration_seconds_count{image_size_in_bytes="0-10MB"} 1',
    'kubelet_image_pull_duration_seconds_bucket{image_size_in_bytes="500MB-1GB",le="20"} 1',
    'kubelet_run_podsandbox_errors_total{runtime_handler="gvisor"} 1',
    'kubelet_started_pods_total 2',
    'kubelet_started_pods_errors_total 1',
    'kubelet_started_containers_total{container_type="init_container"} 1',
    'kubelet_started_containers_errors_total{code="ErrImagePull",container_type="container"} 1',
  ])
    assert.ok(lines.includes(line), line)
})
