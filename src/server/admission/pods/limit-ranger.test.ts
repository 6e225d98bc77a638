import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from '../../../machinery/object.ts'
import type { Container, LimitRange, LimitRangeItem, Pod } from '../../../resources/types/core.ts'
import { admissionSetup } from '../admission.double.ts'
import { limitRanger } from './limit-ranger.ts'

const pod = (containers: readonly Partial<Container>[] = [{}], more: object = {}): Draft<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: containers.map((c, i) => ({ name: `c${i}`, ...c })) as Draft<Container>[], ...more },
})
const range = (...limits: readonly LimitRangeItem[]): LimitRange => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'r', namespace: 'ns' },
  spec: { limits },
})
const admitted = async (object: Draft<Pod>, ...ranges: readonly LimitRange[]) => {
  const { admit, deps } = admissionSetup({ '/limitranges': ranges })
  return admit(limitRanger(deps), { object })
}
const amounts = (count: number, amount = '1') => Object.fromEntries(Array.from({ length: count }, (_, i) => [`r.example.com/${i}`, amount]))
const REFUSED = '403 pods "p" is forbidden: '

test('what a container does not say is set, and noted', async () => {
  const object = pod([{ resources: { limits: { cpu: '2' } } }], { initContainers: [{ name: 'i' }] })
  const defaults = { type: 'Container', default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '100m' } }
  assert.equal(await admitted(object, range(defaults)), 'ok')
  assert.deepEqual(object.spec.containers[0]?.resources, { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '100m' } })
  assert.deepEqual(object.spec.initContainers?.[0]?.resources, { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } })
  assert.equal(
    object.metadata.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: cpu request for container c0; memory limit for container c0; cpu request for init container i; cpu, memory limit for init container i',
  )
})

const cpu = (requests: string | undefined, limits: string | undefined): Partial<Container> => ({
  resources: { ...(requests && { requests: { cpu: requests } }), ...(limits && { limits: { cpu: limits } }) },
})
const BOUNDS: readonly (readonly [rule: string, limit: LimitRangeItem, container: Partial<Container>, outcome: string])[] = [
  ['within', { type: 'Container', min: { cpu: '1' }, max: { cpu: '2' } }, cpu('1', '2'), 'ok'],
  [
    'below the minimum',
    { type: 'Container', min: { cpu: '1' } },
    cpu('500m', '1'),
    'minimum cpu usage per Container is 1, but request is 500m',
  ],
  ['no request', { type: 'Container', min: { cpu: '1' } }, {}, 'minimum cpu usage per Container is 1.  No request is specified'],
  ['above the maximum', { type: 'Container', max: { cpu: '1' } }, cpu('1', '2'), 'maximum cpu usage per Container is 1, but limit is 2'],
  [
    'no limit',
    { type: 'Container', max: { cpu: '1' } },
    cpu('1', undefined),
    'maximum cpu usage per Container is 1.  No limit is specified',
  ],
  [
    'beyond the ratio',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    cpu('1', '3'),
    'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
  ],
  ['of the pod', { type: 'Pod', max: { cpu: '1' } }, cpu('1', '2'), 'maximum cpu usage per Pod is 1, but limit is 2'],
]
for (const [rule, limit, container, outcome] of BOUNDS)
  test(`bounds: ${rule}`, async () =>
    assert.equal(await admitted(pod([container]), range(limit)), outcome === 'ok' ? 'ok' : `${REFUSED}${outcome}`))

test('defaults that would make a pod too large are not set', async () => {
  const many = Array.from({ length: 100 }, () => ({}))
  assert.equal(await admitted(pod(many), range({ type: 'Container', default: amounts(5000) })), '500 etcdserver: request is too large')
})

test('many bounds of many containers are checked in turns of the event loop', async () => {
  const { deps } = admissionSetup({ '/limitranges': [range({ type: 'Container', max: amounts(3000) })] })
  const resources = { limits: amounts(3000) }
  const object = pod(Array.from({ length: 4 }, () => ({ resources })))
  const request = {
    object,
    operation: 'CREATE',
    namespace: 'ns',
    subresource: '',
    resource: { group: '', version: 'v1', resource: 'pods' },
  }
  const checked = limitRanger(deps).validate?.(request as unknown as Parameters<NonNullable<ReturnType<typeof limitRanger>['validate']>>[0])
  assert.ok(checked instanceof Promise)
  await checked
})
