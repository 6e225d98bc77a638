/** Targets of autoscalers, most of them custom resources, in virtual time: compared with kube-controller-manager 1.36.3. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS, HORIZONTAL_POD_AUTOSCALERS } from '../../src/resources/refs.ts'
import type { CustomResourceDefinition, CustomResourceSubresourceScale } from '../../src/resources/types/apiextensions.ts'
import type { HorizontalPodAutoscaler } from '../../src/resources/types/autoscaling.ts'
import { deployment } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const FOOS = { group: 'ex.example.com', version: 'v1', resource: 'foos', namespace: 'default' }
const PATHS = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
const WITH_SELECTOR = { ...PATHS, labelSelectorPath: '.status.selector' }

const NOT_CONVERTIBLE = 'received an object from a /scale endpoint which was not convertible to autoscaling Scale'
const TABLE: readonly (readonly [
  what: string,
  scale: CustomResourceSubresourceScale | undefined,
  selector: string,
  conditions: readonly string[],
])[] = [
  ['without a scale', undefined, 'app=x', ['AbleToScale False FailedGetScale: foos.ex.example.com "f" not found']],
  [
    'with a selector that cannot be read',
    WITH_SELECTOR,
    'a b c',
    [
      `AbleToScale False FailedGetScale: ${NOT_CONVERTIBLE}: failed to parse target selector: couldn't parse the selector string "a b c": unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt`,
    ],
  ],
  [
    'without a selector',
    PATHS,
    '',
    ['AbleToScale True SucceededGetScale', "ScalingActive False InvalidSelector: the HPA target's scale is missing a selector"],
  ],
  [
    'that selects no pods',
    WITH_SELECTOR,
    'app=nobody',
    ['AbleToScale True SucceededGetScale', 'ScalingActive False FailedGetResourceMetric'],
  ],
]
for (const [what, scale, selector, expected] of TABLE)
  test(`a target ${what}`, async () => {
    const clock = new VirtualClock()
    await using cluster = await startCluster({ nodes: 1 }, { clock, random: seededRandom(1) })
    const client = cluster.client()
    await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition(scale))
    await clock.advance(3000)
    await client.create(FOOS, foo(selector))
    await client.create({ ...HORIZONTAL_POD_AUTOSCALERS, namespace: 'default' }, autoscaler)
    await clock.advance(20_000)
    const { status } = await client.get({ ...HORIZONTAL_POD_AUTOSCALERS, namespace: 'default', name: 'h' })
    const said = (status?.conditions ?? []).map((c) => `${c.type} ${c.status} ${c.reason}: ${c.message}`)
    const reported = "the HPA controller was unable to get the target's current scale: "
    assert.equal(said.length, expected.length, said.join('\n'))
    for (const [i, text] of expected.entries()) assert.ok(said[i]?.replace(reported, '').startsWith(text), `${said[i]}\n${text}`)
  })

test('a target with fewer replicas than the least gets them', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ nodes: 1 }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const deployments = { ...DEPLOYMENTS, namespace: 'default' }
  await client.create(deployments, deployment('d', { replicas: 1 }))
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }
  const spec = { minReplicas: 3, maxReplicas: 5, scaleTargetRef }
  const h: HorizontalPodAutoscaler = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec }
  await client.create({ ...HORIZONTAL_POD_AUTOSCALERS, namespace: 'default' }, h)
  await clock.advance(20_000)
  assert.equal((await client.get({ ...deployments, name: 'd' })).spec?.replicas, 3)
})

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const definition = (scale: CustomResourceSubresourceScale | undefined): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foos.ex.example.com' },
  spec: {
    group: 'ex.example.com',
    scope: 'Namespaced',
    names: { plural: 'foos', singular: 'foo', kind: 'Foo' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        ...(scale && { subresources: { scale } }),
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
              status: { ...anything, properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
})

const foo = (selector: string) => ({
  apiVersion: 'ex.example.com/v1',
  kind: 'Foo',
  metadata: { name: 'f' },
  spec: { replicas: 2 },
  status: { replicas: 2, ...(selector !== '' && { selector }) },
})

const autoscaler: HorizontalPodAutoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: {
    scaleTargetRef: { apiVersion: 'ex.example.com/v1', kind: 'Foo', name: 'f' },
    maxReplicas: 5,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
  },
}
