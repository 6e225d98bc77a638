import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readKubeletConfiguration } from '../configuration/kubelet-configuration.ts'
import { DEFAULT_MACHINE } from '../status/node-object.ts'
import { amountsOfAll } from './node-capacity.ts'

const machine = { ...DEFAULT_MACHINE, cpu: '4', memory: '8Gi' }
const amountsOf = (settings: object) =>
  amountsOfAll(
    machine,
    readKubeletConfiguration(JSON.stringify({ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...settings })),
  )

test('all pods together are held to what is not reserved; eviction begins before that', () => {
  const reserved = {
    systemReserved: { cpu: '500m', memory: '1Gi' },
    kubeReserved: { cpu: '500m' },
    evictionHard: { 'memory.available': '1Gi' },
  }
  assert.deepEqual(amountsOf(reserved), { cpuShares: 3072, memoryLimitBytes: 7 * 2 ** 30 })
  assert.deepEqual(amountsOf({}), { cpuShares: 4096, memoryLimitBytes: 8 * 2 ** 30 })
  assert.deepEqual(amountsOf({ ...reserved, enforceNodeAllocatable: ['none'] }), {})
})
