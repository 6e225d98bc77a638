import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../base/exposition.ts'
import { createDeviceMetrics } from '../allocation/devices/device-metrics.ts'
import { createAdmissionMetrics } from './admission-metrics.ts'
import { familiesOf } from './metric-source.ts'

test("a node's devices and refusals are counted under the kubelet's names", () => {
  const [devices, admission] = [createDeviceMetrics(), createAdmissionMetrics()]
  devices.registered('example.com/dongle')
  devices.allocated('example.com/dongle', 0.02)
  devices.podResources('v1', 'get', true)
  devices.podResources('v1alpha1', 'list', false)
  for (const reason of ['OutOfcpu', 'OutOfexample.com/dongle', 'made-up']) admission.rejected(reason)
  const lines = exposition(familiesOf([devices, admission, createDeviceMetrics()])).split('\n')
  for (const line of [
    'kubelet_device_plugin_registration_total{resource_name="example.com/dongle"} 1',
    'kubelet_device_plugin_alloc_duration_seconds_bucket{resource_name="example.com/dongle",le="0.025"} 1',
    'kubelet_device_plugin_alloc_duration_seconds_bucket{resource_name="example.com/dongle",le="0.01"} 0',
    'kubelet_device_plugin_alloc_duration_seconds_count{resource_name="example.com/dongle"} 1',
    'kubelet_pod_resources_endpoint_requests_total{server_api_version="v1"} 1',
    'kubelet_pod_resources_endpoint_requests_total{server_api_version="v1alpha1"} 1',
    'kubelet_pod_resources_endpoint_requests_get{server_api_version="v1"} 1',
    'kubelet_pod_resources_endpoint_errors_get{server_api_version="v1"} 1',
    'kubelet_pod_resources_endpoint_requests_list{server_api_version="v1alpha1"} 1',
    'kubelet_admission_rejections_total{reason="OutOfcpu"} 1',
    'kubelet_admission_rejections_total{reason="OutOfExtendedResources"} 1',
    'kubelet_admission_rejections_total{reason="Other"} 1',
  ])
    assert.ok(lines.includes(line), line)
})
