import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../types/pod.ts'
import { resourceValue } from './downward-api.ts'

const ROWS = [
  ['a missing limit is what the node has', 'limits.cpu', undefined, '4'],
  ["or the pod's own limit", 'limits.cpu', { limits: { cpu: '2' } }, '2'],
  ['a limit of 0 is none', 'limits.cpu', { limits: { cpu: '0' } }, '4'],
  ["a pod's own request is no default", 'requests.cpu', { requests: { cpu: '2' } }, '0'],
  ['pods have no limit of storage', 'limits.ephemeral-storage', { limits: { 'ephemeral-storage': '1' } }, '9'],
] as const

for (const [rule, resource, resources, wanted] of ROWS)
  test(`amounts of the downward API: ${rule}`, () => {
    const container = { name: 'main', image: 'app' }
    const spec = { containers: [container], ...(resources !== undefined && { resources }) }
    const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, spec, status: {} }
    const allocatable = { cpu: '4', 'ephemeral-storage': '9' }
    assert.equal(resourceValue({ pod, container, hostIp: '', podIps: [], allocatable }, { resource }), wanted)
  })

test('only containers that a pod has from its start have amounts', () => {
  const container = { name: 'main', image: 'app' }
  const spec = { containers: [container], ephemeralContainers: [{ name: 'later', image: 'app' }] }
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, spec, status: {} }
  const amount = (containerName: string) =>
    resourceValue({ pod, container, hostIp: '', podIps: [], allocatable: { cpu: '4' } }, { containerName, resource: 'limits.cpu' })
  assert.deepEqual(['main', 'later', 'none'].map(amount), ['4', undefined, undefined])
})
