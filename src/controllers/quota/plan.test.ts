import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod, ResourceQuota } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { concerns, countsAs, quotaStatus } from './plan.ts'

const quota = (hard: Record<string, string>): ResourceQuota => sketch({ metadata: { name: 'q' }, spec: { hard }, status: { hard } })
const pod = (cpu: string, phase = 'Running'): Pod =>
  sketch({ spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] }, status: { phase } })

for (const [limit, group, resource, expected] of [
  ['pods', '', 'pods', true],
  ['pods', '', 'services', false],
  ['requests.cpu', '', 'pods', true],
  ['count/gadgets.example.com', 'example.com', 'gadgets', true],
  ['count/gadgets.example.com', 'example.org', 'gadgets', false],
] as const)
  test(`a limit of ${limit} ${expected ? 'counts' : 'does not count'} ${resource}${group && `.${group}`}`, () =>
    assert.equal(concerns(quota({ [limit]: '1' }), group, resource), expected))

test('finished pods are not counted, and a limit without objects is counted as zero', () => {
  const pods = { group: '', resource: 'pods', objects: [pod('500m'), pod('1'), pod('7', 'Failed')] }
  const services = { group: '', resource: 'services', objects: [] }
  assert.deepEqual(quotaStatus(quota({ pods: '9', 'requests.cpu': '2', services: '3' }), [pods, services]).used, {
    pods: '2',
    'requests.cpu': '1500m',
    services: '0',
  })
})

for (const [what, before, after, expected] of [
  ['starts', pod('1', 'Pending'), pod('1'), true],
  ['ends', pod('1'), pod('1', 'Succeeded'), false],
] as const)
  test(`a pod that ${what} counts ${expected ? 'as before' : 'for less'}`, () => {
    const pods = { group: '', resource: 'pods' }
    assert.equal(countsAs(pods, before) === countsAs(pods, after), expected)
  })
