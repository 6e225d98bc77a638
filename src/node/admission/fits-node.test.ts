import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../resources/types/core.ts'
import type { Pod } from '../types/pod.ts'
import { fitHandler } from './fits-node.ts'

type Spec = Partial<Pod['spec']>

const nodeInfo = {
  machineID: 'm',
  systemUUID: 'm',
  bootID: 'b',
  kernelVersion: '6.12.0',
  osImage: 'image',
  containerRuntimeVersion: 'runtime://1.0.0',
  kubeletVersion: 'v1.36.0',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
}

const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-1', labels: { zone: 'a', cores: '8', 'kubernetes.io/os': 'linux' } },
  spec: {
    taints: [
      { key: 'gone', effect: 'NoExecute' },
      { key: 'busy', effect: 'NoSchedule' },
    ],
  },
  status: { allocatable: { cpu: '2', memory: '1Gi', pods: '3', 'example.com/dongle': '1' }, nodeInfo },
}
const tolerant: Spec = { tolerations: [{ key: 'gone', operator: 'Exists' }] }
const pod = (spec: Spec): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [], ...spec }, status: {} })
const wants = (requests: Record<string, string>): Spec => ({
  ...tolerant,
  containers: [{ name: 'c', image: 'i', resources: { requests } }],
})
const port = (hostPort: number, hostIP?: string): Spec => ({
  ...tolerant,
  containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1, hostPort, ...(hostIP !== undefined && { hostIP }) }] }],
})
const affine = (...nodeSelectorTerms: object[]): Spec => ({
  ...tolerant,
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
})
const expression = (key: string, operator: string, ...values: string[]) => ({ matchExpressions: [{ key, operator, values }] })

const cases: readonly (readonly [string, Spec, readonly Spec[], string | undefined])[] = [
  ['a pod that asks for nothing fits', tolerant, [], undefined],
  [
    'strict groups on a node that does not have them',
    { ...tolerant, securityContext: { supplementalGroupsPolicy: 'Strict' } },
    [],
    'SupplementalGroupsPolicy=Strict is not supported in this node',
  ],
  ['merged groups', { ...tolerant, securityContext: { supplementalGroupsPolicy: 'Merge' } }, [], undefined],
  [
    'what is taken counts',
    wants({ cpu: '1500m' }),
    [wants({ cpu: '1' })],
    "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
  ],
  ['to the last millicore', wants({ cpu: '1' }), [wants({ cpu: '1' })], undefined],
  [
    'pods are counted first',
    wants({ cpu: '9' }),
    [tolerant, tolerant, tolerant],
    "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
  ],
  [
    'a device that the node has is counted',
    wants({ 'example.com/dongle': '2' }),
    [],
    "Node didn't have enough resource: example.com/dongle, requested: 2, used: 0, capacity: 1",
  ],
  ['one that it does not know is not its affair', wants({ 'example.com/other': '2' }), [], undefined],
  [
    'a label that the node lacks',
    { ...tolerant, nodeSelector: { zone: 'b' } },
    [],
    "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  ],
  ['affinity terms are alternatives', affine(expression('zone', 'In', 'b'), expression('cores', 'Gt', '4')), [], undefined],
  [
    'none of them holds',
    affine(expression('zone', 'In', 'b'), expression('cores', 'Gt', '8')),
    [],
    "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  ],
  ['nodes by name', affine({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }), [], undefined],
  [
    'a host port is taken once',
    port(80),
    [port(80)],
    "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  ],
  ['or once for each address', port(80, '10.0.0.1'), [port(80, '10.0.0.2'), port(81)], undefined],
  [
    'any address is all of them',
    port(80, '10.0.0.1'),
    [port(80)],
    "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  ],
  ['a taint that evicts refuses too', {}, [], "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"],
  ['another system', { ...tolerant, os: { name: 'windows' } }, [], "Failed to admit pod as the OS field doesn't match node OS"],
]

const refusalOf = (of: Pod, taken: readonly Pod[] = []) =>
  fitHandler.admit({ pod: of, node, taken, recovered: false }, new AbortController().signal)

for (const [rule, spec, taken, wanted] of cases) {
  test(rule, async () => assert.equal((await refusalOf(pod(spec), taken.map(pod)))?.message, wanted))
}

test('the label of a system is that of the pod; a node selector for another system is a question of affinity', async () => {
  const labelled = (os: string): Pod => ({ ...pod(tolerant), metadata: { name: 'p', labels: { 'kubernetes.io/os': os } } })
  assert.equal((await refusalOf(labelled('windows')))?.reason, 'PodOSSelectorNodeLabelDoesNotMatch')
  assert.equal(await refusalOf(labelled('linux')), undefined)
  assert.equal((await refusalOf(pod({ ...tolerant, nodeSelector: { 'kubernetes.io/os': 'windows' } })))?.reason, 'NodeAffinity')
})
