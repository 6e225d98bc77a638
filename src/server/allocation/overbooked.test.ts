import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ContainerPort, Node, Pod } from '../../resources/types/core.ts'
import { overbooked } from './overbooked.ts'

/** `cpu=1,memory=1Gi,:80` → a pod with these requests and a host port. */
function pod(text: string): Pod {
  const requests: Record<string, string> = {}
  const ports: ContainerPort[] = []
  for (const part of text.split(',').filter(Boolean)) {
    const [name = '', amount = ''] = part.split('=')
    const port = /^(.*):(\d+)$/.exec(name)
    if (port !== null) ports.push({ containerPort: 80, hostPort: Number(port[2]), protocol: 'TCP', ...(port[1] && { hostIP: port[1] }) })
    else requests[name] = amount
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [{ name: 'c', resources: { requests }, ports }] } }
}

const node = (text: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  status: { allocatable: Object.fromEntries(text.split(',').map((part) => part.split('='))) },
})

const OPAQUE = 'pod.alpha.kubernetes.io/opaque-int-resource-foo'
for (const [what, offered, bound, wanted, expected] of [
  ['what fits', 'cpu=2,pods=2', ['cpu=1'], 'cpu=1', []],
  ['cpu to the thousandth', 'cpu=2,pods=9', ['cpu=1'], 'cpu=1001m', ['cpu: 1 of 2 are taken, 1001m are wanted']],
  ['memory', 'memory=1Gi,pods=9', ['memory=1Mi'], 'memory=1Gi', ['memory: 1Mi of 1Gi are taken, 1Gi are wanted']],
  [
    'extended resources',
    'example.com/dongle=4,pods=9',
    ['example.com/dongle=3'],
    'example.com/dongle=2',
    ['example.com/dongle: 3 of 4 are taken, 2 are wanted'],
  ],
  ['opaque integer resources', `${OPAQUE}=5,pods=9`, [`${OPAQUE}=5`], `${OPAQUE}=1`, [`${OPAQUE}: 5 of 5 are taken, 1 are wanted`]],
  ['a resource that the node does not have', 'pods=9', [], 'example.com/dongle=1', ['example.com/dongle: 0 of 0 are taken, 1 are wanted']],
  ['too many pods', 'pods=1', [''], '', ['pods: 1 of 1 are taken']],
  ['a host port', 'pods=9', [':80'], ':80', ['host port TCP/80 is taken']],
  ['a host port at another address', 'pods=9', ['10.0.0.1:80'], '10.0.0.2:80', []],
  [
    'everything at once',
    'cpu=1,pods=1',
    ['cpu=1,:80'],
    'cpu=1,:80',
    ['pods: 1 of 1 are taken', 'cpu: 1 of 1 are taken, 1 are wanted', 'host port TCP/80 is taken'],
  ],
] as const) {
  test(`a node has room, or lacks: ${what}`, () => {
    assert.deepEqual(overbooked(pod(wanted), node(offered), bound.map(pod)), expected)
  })
}

test('what a claim provides does not count against the node', () => {
  const backed = pod('example.com/dongle=1')
  const status = {
    extendedResourceClaimStatus: {
      resourceClaimName: 'claim',
      requestMappings: [{ containerName: 'c', resourceName: 'example.com/dongle', requestName: 'r' }],
    },
  }
  assert.deepEqual(overbooked({ ...backed, status }, node('pods=1'), []), [])
})
