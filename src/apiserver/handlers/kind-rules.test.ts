import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPath } from '../../machinery/resource/definition.ts'
import { horizontalPodAutoscalers } from '../../resources/autoscaling/horizontalpodautoscalers.ts'
import { services } from '../../resources/core/services.ts'
import { ipAddresses } from '../../resources/networking/ipaddresses.ts'
import { networkPolicies } from '../../resources/networking/networkpolicies.ts'
import { handlerDouble } from './handler.double.ts'

// What a few kinds do otherwise than the others, as kube-apiserver 1.36.3 answers.

const POLICIES = '/apis/networking.k8s.io/v1/namespaces/ns/networkpolicies'

test('an empty list or map in a network policy counts as a change of its specification, each time', async () => {
  await using world = await handlerDouble(networkPolicies)
  await world.send(`POST ${POLICIES}`, { body: { metadata: { name: 'a' } } })
  const patch = async (contentType: string, body: object) =>
    (await world.send(`PATCH ${POLICIES}/a?fieldManager=m`, { body, contentType })).object.metadata.generation
  const merge = (spec: object) => patch('application/merge-patch+json', { spec })
  assert.equal(await merge({ podSelector: {} }), 1)
  assert.equal(await merge({ egress: [] }), 2)
  assert.equal(await merge({ egress: [] }), 3)
  assert.equal(await merge({ podSelector: { matchLabels: {} } }), 4)
  const spec = { podSelector: { matchExpressions: [] } }
  assert.equal(await patch('application/strategic-merge-patch+json', { spec }), 5)
  const applied = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'a' }, spec }
  assert.equal(await patch('application/apply-patch+yaml', applied), 6)
  assert.equal(await patch('application/apply-patch+yaml', applied), 7)
})

test('the generated name of an address is the prefix itself', async () => {
  await using world = await handlerDouble(ipAddresses)
  const body = { metadata: { generateName: '192.0.2.7' }, spec: { parentRef: { resource: 'services', name: 'a' } } }
  const create = () => world.outcome('POST /apis/networking.k8s.io/v1/ipaddresses', { body })
  assert.equal(await create(), '201')
  assert.match(await create(), /^409 AlreadyExists: ipaddresses.networking.k8s.io "192.0.2.7" already exists/)
})

test('a status that creates a service warns about all of it, and assigns no address', async () => {
  await using world = await handlerDouble(services)
  const path = '/api/v1/namespaces/ns/services'
  const service = (name: string, spec: object) => ({ metadata: { name }, spec: { ports: [{ port: 53 }], ...spec } })
  const created = await world.send(`PUT ${path}/a/status`, { body: service('a', { trafficDistribution: 'PreferClose' }) })
  assert.equal(created.code, 201)
  assert.deepEqual(created.warnings, ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'])
  assert.equal(readPath(created.object, ['spec', 'clusterIP']), undefined)
  assert.match(
    await world.outcome(`PUT ${path}/b/status`, { body: service('b', { clusterIP: '10.0.0.77' }) }),
    /^422 Invalid: Service "b" is invalid: spec.clusterIPs: Required value$/,
  )
})

const SCALERS = '/apis/autoscaling/v1/namespaces/ns/horizontalpodautoscalers'
const APPLY = 'application/apply-patch+yaml'
const MERGE = 'application/merge-patch+json'

/** An autoscaler that `one` applies at v1, and whose status another manager wrote at v2. */
async function scalerOfTwoVersions() {
  const world = await handlerDouble(horizontalPodAutoscalers)
  const apply = (spec: object) => {
    const body = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' }, spec }
    return world.send(`PATCH ${SCALERS}/a?fieldManager=one`, { body, contentType: APPLY })
  }
  await apply({ minReplicas: 2, maxReplicas: 5, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } })
  const status = { body: { status: { currentReplicas: 3 } }, contentType: MERGE }
  await world.send(`PATCH ${SCALERS.replace('v1', 'v2')}/a/status?fieldManager=two`, status)
  return { ...world, apply, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

test('an apply removes no required field as long as another manager owns fields at another version', async () => {
  await using world = await scalerOfTwoVersions()
  const { object } = await world.apply({})
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }
  assert.deepEqual(object.spec, { minReplicas: 1, maxReplicas: 5, scaleTargetRef: target, targetCPUUtilizationPercentage: 80 })
})

test('managed fields are reset at an older version, too', async () => {
  await using world = await scalerOfTwoVersions()
  const reset = { body: { metadata: { managedFields: [] } }, contentType: MERGE }
  const { object } = await world.send(`PATCH ${SCALERS}/a`, reset)
  assert.equal(object.metadata.managedFields, undefined)
})
