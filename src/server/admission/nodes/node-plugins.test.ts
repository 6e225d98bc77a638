import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cloneJson, type Draft, type KubeObject } from '../../../machinery/object.ts'
import type { Node, NodeSpec, Taint } from '../../../resources/types/core.ts'
import { admissionSetup } from '../admission.double.ts'
import { nodeDeclaredFeatureValidator, podResizeValidator, podTopologyLabels } from './node-features.ts'
import { taintNodesByCondition } from './taint-nodes-by-condition.ts'

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
const node = (more: Partial<Pick<Node, 'spec' | 'status'>> = {}, labels: Record<string, string> = {}): Draft<Node> => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels },
  ...cloneJson(more),
})
const pod = (spec: object, generation = 1, labels?: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', generation, ...(labels && { labels }) },
  spec: { containers: [{ name: 'c' }], ...spec },
})

const taints: readonly (readonly [rule: string, spec: NodeSpec | undefined, taints: readonly object[]])[] = [
  ['a new node is not ready', undefined, [NOT_READY]],
  ['its own taints stay', { taints: [{ key: 'a', effect: 'NoExecute' }] }, [{ key: 'a', effect: 'NoExecute' }, NOT_READY]],
  ['the taint is not set twice', { taints: [NOT_READY] }, [NOT_READY]],
  [
    'another effect is another taint',
    { taints: [{ ...NOT_READY, effect: 'NoExecute' }] },
    [{ ...NOT_READY, effect: 'NoExecute' }, NOT_READY],
  ],
]
for (const [rule, spec, wanted] of taints)
  test(`TaintNodesByCondition: ${rule}`, async () => {
    const object = node(spec && { spec })
    await admissionSetup().admit(taintNodesByCondition, { object })
    assert.deepEqual(object.spec?.taints, wanted)
  })

test('TaintNodesByCondition: an update is left alone', async () => {
  const object = node({ spec: {} })
  await admissionSetup().admit(taintNodesByCondition, { object, old: node() })
  assert.equal(object.spec?.taints, undefined)
})

const requests = (cpu: string, memory = '1Mi') => ({ nodeName: 'n', containers: [{ name: 'c', resources: { requests: { cpu, memory } } }] })
const LINUX = node({ status: { allocatable: { cpu: '2', memory: '1Gi' } } }, { 'kubernetes.io/os': 'linux' })
const resizes: readonly (readonly [rule: string, node: KubeObject | undefined, spec: object, said: string])[] = [
  ['what the node can give is admitted', LINUX, requests('2'), 'ok'],
  [
    'what it can never give is not',
    LINUX,
    requests('2500m', '2Gi'),
    `403 pods "p" is forbidden: node didn't have enough allocatable resources: cpu, requested: 2500, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824`,
  ],
  ['a node that is gone gives nothing', undefined, requests('1'), '403 pods "p" is forbidden: node "n" not found'],
  [
    'other systems do not resize',
    node({}, { 'kubernetes.io/os': 'windows' }),
    requests('1'),
    '403 pods "p" is forbidden: pod resize is only supported on linux nodes, node "n" is "windows"',
  ],
  ['a pod that is not bound is no node’s matter', undefined, { containers: [] }, 'ok'],
]
for (const [rule, stored, spec, said] of resizes)
  test(`PodResizeValidator: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({ '/nodes': stored === undefined ? [] : [stored] })
    const write = { object: pod(spec, 2), old: pod(requests('1'), 1), subresource: 'resize' }
    assert.equal(await admit(podResizeValidator(deps), write), said)
  })

test('PodResizeValidator: an update that leaves the specification alone is not looked at', async () => {
  const { admit, deps } = admissionSetup()
  assert.equal(await admit(podResizeValidator(deps), { object: pod(requests('9')), old: pod(requests('9')), subresource: 'resize' }), 'ok')
})

const levels = (cpu: string) => ({ nodeName: 'n', resources: { requests: { cpu } } })
const initial = (cpu: string, restartPolicy?: string) => ({
  nodeName: 'n',
  initContainers: [{ name: 'i', ...(restartPolicy && { restartPolicy }), resources: { requests: { cpu } } }],
})
const missing = (feature: string) =>
  `403 pods "p" is forbidden: pod update requires features ${feature} which are not available on node "n"`
const features: readonly (readonly [rule: string, declared: readonly string[], old: object, spec: object, said: string])[] = [
  ['other changes need no feature', [], { nodeName: 'n' }, { nodeName: 'n', activeDeadlineSeconds: 5 }, 'ok'],
  ['resources of the pod need one', [], levels('1'), levels('2'), missing('InPlacePodLevelResourcesVerticalScaling')],
  ['which the node may declare', ['InPlacePodLevelResourcesVerticalScaling'], levels('1'), levels('2'), 'ok'],
  ['resources of init containers need one', [], initial('1'), initial('2'), missing('InPlacePodVerticalScalingInitContainers')],
  ['those of sidecars do not', [], initial('1', 'Always'), initial('2', 'Always'), 'ok'],
]
for (const [rule, declaredFeatures, old, spec, said] of features)
  test(`NodeDeclaredFeatureValidator: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({ '/nodes': [node({ status: { declaredFeatures } })] })
    assert.equal(await admit(nodeDeclaredFeatureValidator(deps), { object: pod(spec, 2), old: pod(old, 1) }), said)
  })

const PLACED = node({}, { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'x' })
const topology: readonly (readonly [rule: string, object: KubeObject, subresource: string, labels: object | undefined])[] = [
  [
    'a bound pod gets zone and region',
    pod({ nodeName: 'n' }, 1, { own: 'y' }),
    '',
    { own: 'y', 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r' },
  ],
  ['a pod without a node gets nothing', pod({}), '', undefined],
  ['nor one of a node that is not there', pod({ nodeName: 'gone' }), '', undefined],
]
for (const [rule, object, subresource, labels] of topology)
  test(`PodTopologyLabels: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({ '/nodes': [PLACED] })
    await admit(podTopologyLabels(deps), { object, subresource })
    assert.deepEqual(object.metadata.labels, labels)
  })
