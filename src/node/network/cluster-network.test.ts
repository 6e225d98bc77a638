import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ClusterNetwork } from './cluster-network.ts'

const pod = (name: string, nodeName: string, ip: string, spec = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName, containers: [], ...spec },
  status: { podIPs: [{ ip }] },
})

/** A simulated node `simulated`, beside pods of a real one. */
function mixed() {
  const pods = [
    pod('web', 'real', '10.244.1.7'),
    pod('agent', 'real', '192.0.2.11', { hostNetwork: true }),
    pod('liar', 'real', '169.254.169.254'),
    pod('gone', 'simulated', '10.1.9.9'),
  ]
  const dialled: string[] = []
  const network = new ClusterNetwork({
    objects: { get: () => undefined, list: (_group, resource) => (resource === 'pods' ? pods : []) },
    clock: new VirtualClock(),
    random: seededRandom(1),
    async dialReal(ip, port) {
      dialled.push(`${ip}:${port}`)
      return new PassThrough()
    },
  })
  network.add({ name: 'simulated', ip: '198.18.0.1', owns: (ip) => ip.startsWith('10.1.2.'), alive: () => false })
  const stack = network.open('simulated', ['10.1.2.3'])
  const dial = (ip: string) => network.dial({ kind: 'stack', stack }, ip, 80, new AbortController().signal)
  return { dial, dialled }
}

test('a simulated pod reaches the pods of real nodes', async () => {
  const { dial, dialled } = mixed()
  await dial('10.244.1.7')
  assert.deepEqual(dialled, ['10.244.1.7:80'])
})

for (const [what, ip, code] of [
  ['a real node, nor pods in its network', '192.0.2.11', 'ENETUNREACH'],
  ['an address that no pod has', '10.244.1.8', 'ENETUNREACH'],
  ['an address that a pod of a simulated node claims', '10.1.9.9', 'ENETUNREACH'],
  ['a pod of its own network that is not there', '10.1.2.4', 'EHOSTUNREACH'],
  ['a link-local address that a pod of a real node claims', '169.254.169.254', 'ENETUNREACH'],
] as const)
  test(`a simulated pod never dials ${what}`, async () => {
    const { dial, dialled } = mixed()
    await assert.rejects(dial(ip), { code })
    assert.deepEqual(dialled, [])
  })
