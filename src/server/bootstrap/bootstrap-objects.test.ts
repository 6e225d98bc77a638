import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { upstream } from '../../../test/upstream.ts'
import { systemClock } from '../../base/clock.ts'
import { serverPartDouble } from '../../cluster/server/server-part.double.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import { SERVICE_CIDRS } from '../../resources/refs.ts'
import { bootstrapObjects } from './bootstrap-objects.ts'
import { repair } from './ensure-bootstrap.ts'

const folder = path.join(upstream, 'bootstrap')
const wanted = bootstrapObjects({ roles: true, gatedKinds: [], serviceCidr: '10.0.0.0/24', port: 7443 }, '2026-11-21T06:19:25Z').flat()

/** Statuses of flow schemas are written by `FlowSchemaConditions`, those of local APIServices are made as they are created. */
const MADE_ELSEWHERE: ReadonlySet<string> = new Set(['flowschemas', 'apiservices'])

for (const resource of [
  'clusterroles',
  'clusterrolebindings',
  'roles',
  'rolebindings',
  'priorityclasses',
  'prioritylevelconfigurations',
  'flowschemas',
  'apiservices',
  'servicecidrs',
]) {
  test(`the default ${resource} are those of Kubernetes`, () => {
    const recorded = JSON.parse(readFileSync(path.join(folder, `${resource}.json`), 'utf8')) as KubeObject[]
    const key = (o: KubeObject) => `${o.metadata.namespace ?? ''}/${o.metadata.name}`
    const ours = new Map(wanted.filter((w) => w.resource === resource).map((w) => [key(w.object), w.object]))
    assert.deepEqual([...ours.keys()].sort(), recorded.map(key).sort())
    for (const theirs of recorded) {
      const { apiVersion: _, kind: __, ...mine } = ours.get(key(theirs)) ?? ({} as KubeObject)
      // A null in recorded JSON is an absent field here: the rules of an aggregated role.
      const { status, ...rest } = Object.fromEntries(Object.entries(theirs).filter(([, value]) => value !== null))
      assert.deepEqual(mine, {
        ...rest,
        ...(MADE_ELSEWHERE.has(resource) || !isObject(status) || Object.keys(status).length === 0 ? {} : { status }),
      })
    }
  })
}

test('the status of the first service range is applied by the controller of kube-apiserver that does so', async () => {
  await using server = await serverPartDouble(systemClock)
  const { metadata, status } = await server.client.get({ ...SERVICE_CIDRS, name: 'kubernetes' })
  assert.deepEqual(
    metadata.managedFields?.map(({ manager, operation, subresource }) => [manager, operation, subresource]),
    [
      ['kubernetes-service-cidr-controller', 'Apply', 'status'],
      ['kube-apiserver', 'Update', undefined],
    ],
  )
  assert.deepEqual(
    status?.conditions?.map(({ type }) => type),
    ['Ready'],
  )
})

test('what is missing in a default role is added, what a person added stays, and an object can opt out', () => {
  const role = (rules: object[], autoupdate = 'true') =>
    ({
      apiVersion: 'v1',
      kind: 'ClusterRole',
      metadata: { name: 'a', annotations: { 'rbac.authorization.kubernetes.io/autoupdate': autoupdate } },
      rules,
    }) as KubeObject
  const get = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
  const list = { verbs: ['list'], apiGroups: [''], resources: ['pods'] }
  assert.deepEqual(repair(role([get]), role([list]), 'rules'), { rules: [get, list] })
  assert.equal(repair(role([get, list]), role([list]), 'rules'), undefined)
  assert.equal(repair(role([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]), role([list]), 'rules'), undefined)
  assert.equal(repair(role([get], 'false'), role([list]), 'rules'), undefined)
})

test('a cluster gets a second range of service addresses, and no other change of its ranges', () => {
  const ranges = (...cidrs: string[]) =>
    ({ apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'kubernetes' }, spec: { cidrs } }) as KubeObject
  const both = ranges('10.0.0.0/24', 'fd00::/108')
  assert.deepEqual(repair(ranges('10.0.0.0/24'), both, 'ranges'), { spec: { cidrs: ['10.0.0.0/24', 'fd00::/108'] } })
  for (const present of [both, ranges('10.1.0.0/24'), ranges('fd00::/108', '10.0.0.0/24')])
    assert.equal(repair(present, both, 'ranges'), undefined)
})

test('since when legacy tokens are tracked is written at the first start', () => {
  const found = wanted.find((w) => w.object.metadata.name === 'kube-apiserver-legacy-service-account-token-tracking')
  assert.deepEqual(
    [found?.object.metadata.namespace, found && readPath(found.object, ['data']), found?.keep],
    ['kube-system', { since: '2026-11-21' }, 'none'],
  )
})
