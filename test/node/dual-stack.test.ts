/** Services and pods with addresses of both families. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import * as refs from '../../src/resources/refs.ts'
import type { ServiceSpec } from '../../src/resources/types/core.ts'
import { service } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { podsOf } from '../programs/pods.ts'

const namespace = 'default'

test('with two ranges of services, pods have two addresses, and each service the families that it asks for', async () => {
  const clock = new VirtualClock()
  const ranges = { serviceCidr: '10.0.0.0/24,fd00:1::/112' }
  await using cluster = await startCluster({ nodes: 2, ...ranges }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const cidr = await client.get({ ...refs.SERVICE_CIDRS, name: 'kubernetes' })
  assert.deepEqual(cidr.spec?.cidrs, ['10.0.0.0/24', 'fd00:1::/112'])

  const pods = podsOf(client, clock)
  const container = { name: 'main', image: 'nginx' }
  await pods.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', labels: { app: 'web' } }, spec: { containers: [container] } })
  const web = await pods.until('web', (pod) => pod.status?.phase === 'Running')
  const [four, six] = (web.status?.podIPs ?? []).map(({ ip }) => ip)
  assert.match(four ?? '', /^10\.192\.\d+\.2$/)
  assert.match(six ?? '', /^fd00:10:192:.*:2$/)

  const families: Readonly<Record<string, Partial<ServiceSpec>>> = {
    usual: {},
    both: { ipFamilyPolicy: 'PreferDualStack' },
    six: { ipFamilies: ['IPv6'] },
  }
  for (const [name, more] of Object.entries(families)) {
    const made = service(name, { app: 'web' })
    await client.create({ ...refs.SERVICES, namespace }, { ...made, spec: { ...made.spec, ports: [{ port: 80 }], ...more } })
  }
  const addresses = async (name: string) => {
    const labelSelector = `kubernetes.io/service-name=${name}`
    const slices = await client.list({ ...refs.ENDPOINT_SLICES, namespace }, { labelSelector })
    return slices.items.flatMap(({ endpoints = [] }) => endpoints?.flatMap((endpoint) => endpoint.addresses) ?? []).toSorted()
  }
  for (const [name, expected] of [
    ['usual', [four]],
    ['both', [four, six]],
    ['six', [six]],
  ] as const)
    await waitFor(async () => (await addresses(name)).join() === expected.join(), { clock })

  const script =
    'for name in usual both six; do curl -s http://$name -o /dev/null && echo $name; done; curl -s -g "http://[$1]" -o /dev/null && echo pod'
  const caller = { name: 'main', image: 'curlimages/curl', command: ['sh', '-c', script, 'sh', six ?? ''] }
  const spec = { restartPolicy: 'Never' as const, containers: [caller] }
  await pods.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'caller' }, spec })
  await pods.ended('caller')
  assert.equal(await pods.logs('caller'), 'usual\nboth\nsix\npod\n')
})
