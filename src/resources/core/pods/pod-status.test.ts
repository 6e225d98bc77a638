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

test('a pod on a node gets no nominated node', () => {
  const on = (nodeName: string, nominatedNodeName?: string): Pod => ({
    ...pod({ ...(nominatedNodeName && { nominatedNodeName }) }),
    spec: { containers: [], nodeName },
  })
  const refused = ['status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node']
  assert.deepEqual(validateStatus(on('n', 'm'), on('n')).map(faultText), refused)
  assert.deepEqual(validateStatus(on('n', 'm'), on('n', 'm')), [])
  assert.deepEqual(validateStatus(on('', 'm'), on('')), [])
})

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
  assert.deepEqual(reported({ conditions: [{ type: 'Ready', observedGeneration: 0 }] }), [])
})

test('a container that ended runs again where its pod restarts it', () => {
  const running: PodStatus = { containerStatuses: [{ name: 'c', state: { running: {} } }] }
  const ended = (exitCode: number): PodStatus => ({ containerStatuses: [{ name: 'c', state: { terminated: { exitCode } } }] })
  const changed = (restartPolicy: string, exitCode: number) => {
    const of = (status: PodStatus): Pod => ({ ...pod(status), spec: { restartPolicy, containers: [{ name: 'c' }] } })
    return validateStatus(of(running), of(ended(exitCode))).map(faultText)
  }
  const refused = ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state']
  const cases: [policy: string, exitCode: number, faults: string[]][] = [
    ['Always', 0, []],
    ['OnFailure', 1, []],
    ['OnFailure', 0, refused],
    ['Never', 1, refused],
  ]
  for (const [policy, exitCode, faults] of cases) assert.deepEqual(changed(policy, exitCode), faults, `${policy} ${exitCode}`)
})
