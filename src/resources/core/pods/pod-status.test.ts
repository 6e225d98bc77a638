import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultText } from '../../../machinery/field-error.ts'
import type { Pod, PodStatus } from '../../pod/types.ts'
import { validateStatus } from './pod-status.ts'

const pod = (status: PodStatus): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { resourceClaims: [{ name: 'k' }] },
  status,
})
const reported = (status: PodStatus, before: PodStatus = {}) => validateStatus(pod(status), pod(before)).map(faultText)

test('addresses of a pod are one, or one of each family, and the older field holds the first', () => {
  const ips = (...list: string[]) => list.map((ip) => ({ ip }))
  const FAMILIES = 'may specify no more than one IP for each IP family'
  const cases: [status: PodStatus, faults: string[]][] = [
    [{ podIP: '1.1.1.1', podIPs: ips('1.1.1.1', '::1') }, []],
    [{ podIPs: ips('1.1.1.1', '1.1.1.2') }, [`status.podIPs: Invalid value: [{"IP":"1.1.1.1"},{"IP":"1.1.1.2"}]: ${FAMILIES}`]],
    [{ podIPs: ips('1.1.1.1', '::1', '::2') }, [`status.podIPs: Invalid value: [{"IP":"1.1.1.1"},{"IP":"::1"},{"IP":"::2"}]: ${FAMILIES}`]],
    [{ hostIPs: ips('1.1.1.1') }, ['status.hostIPs[0].ip: Invalid value: "1.1.1.1": must be equal to `hostIP`']],
    [{ hostIP: '1.1.1.1', hostIPs: ips('1.1.1.1') }, []],
  ]
  for (const [status, faults] of cases) assert.deepEqual(reported(status), faults)
})

test('claim statuses must name claims of the pod, each once', () => {
  assert.deepEqual(reported({ resourceClaimStatuses: [{ name: 'k', resourceClaimName: 'x' }] }), [])
  assert.deepEqual(reported({ resourceClaimStatuses: [{ name: 'q' }] }), [
    'status.resourceClaimStatuses[0].name: Invalid value: "q": must match the name of an entry in `spec.resourceClaims`',
  ])
  assert.deepEqual(reported({ resourceClaimStatuses: [{ name: 'k' }, { name: 'k' }] }), [
    'status.resourceClaimStatuses[1].name: Duplicate value: "k"',
  ])
})

test('what is fixed stays: the class, and the end of a container that is not started again', () => {
  assert.deepEqual(reported({ qosClass: 'Guaranteed' }, { qosClass: 'Burstable' }), [
    'status.qosClass: Invalid value: "Guaranteed": field is immutable',
  ])
  assert.deepEqual(reported({ conditions: [{ type: 'Ready', observedGeneration: -1 }] }), [
    'status.conditions[0].observedGeneration: Invalid value: -1: must be a non-negative integer',
  ])
})
