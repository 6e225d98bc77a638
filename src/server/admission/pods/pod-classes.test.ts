import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft, KubeObject } from '../../../machinery/object.ts'
import type { Pod } from '../../../resources/types/core.ts'
import type { RuntimeClass } from '../../../resources/types/node.ts'
import type { PriorityClass } from '../../../resources/types/scheduling.ts'
import { admissionSetup, type Write } from '../admission.double.ts'
import { defaultTolerationSeconds } from './default-toleration-seconds.ts'
import { extendedResourceToleration } from './extended-resource-toleration.ts'
import { priority } from './priority.ts'
import { runtimeClass } from './runtime-class.ts'

const pod = (spec: object = {}): Draft<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: [{ name: 'c' }], ...spec },
})
const REFUSED = '403 pods "p" is forbidden: '
const priorityClass = (name: string, value: number, more: object = {}): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  ...more,
})

const HIGH = priorityClass('high', 1000, { preemptionPolicy: 'Never' })
const DEFAULT = priorityClass('usual', 10, { globalDefault: true })
const computed = (what: string) => `${REFUSED}${what} from the given PriorityClass name`
const priorities: readonly (readonly [rule: string, classes: readonly KubeObject[], spec: object, outcome: string])[] = [
  ['without classes it is zero', [], {}, '0 PreemptLowerPriority -'],
  ['the class gives value and policy', [HIGH], { priorityClassName: 'high' }, '1000 Never high'],
  ['a default class is for pods without one', [HIGH, DEFAULT], {}, '10 PreemptLowerPriority usual'],
  ['of several defaults the lowest counts', [DEFAULT, priorityClass('low', 1, { globalDefault: true })], {}, '1 PreemptLowerPriority low'],
  ['a class must be there', [], { priorityClassName: 'x' }, `${REFUSED}no PriorityClass with name x was found`],
  ['the value may be repeated', [HIGH], { priorityClassName: 'high', priority: 1000 }, '1000 Never high'],
  [
    'but not chosen',
    [HIGH],
    { priorityClassName: 'high', priority: 5 },
    computed('the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000'),
  ],
  [
    'nor the policy',
    [HIGH],
    { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' },
    computed(
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never',
    ),
  ],
]
for (const [rule, classes, spec, outcome] of priorities)
  test(`Priority: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({ 'scheduling.k8s.io/priorityclasses': classes })
    const object = pod(spec)
    const said = await admit(priority(deps), { object })
    assert.equal(
      said === 'ok' ? `${object.spec.priority} ${object.spec.preemptionPolicy} ${object.spec.priorityClassName ?? '-'}` : said,
      outcome,
    )
  })

const classWrites: readonly (readonly [rule: string, write: Write, said: string])[] = [
  [
    'there is one default class',
    { object: priorityClass('b', 1, { globalDefault: true }) },
    '403 priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
  ],
  ['the default may be updated', { object: priorityClass('usual', 10, { globalDefault: true }), old: DEFAULT }, 'ok'],
  [
    'a system class stays',
    { object: priorityClass('system-node-critical', 1), operation: 'DELETE' },
    '403 priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  ],
  ['others may go', { object: HIGH, operation: 'DELETE' }, 'ok'],
]
for (const [rule, write, said] of classWrites)
  test(`Priority: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({ 'scheduling.k8s.io/priorityclasses': [DEFAULT] })
    assert.equal(await admit(priority(deps), write), said)
  })

const GVISOR: RuntimeClass = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'gvisor' },
  handler: 'runsc',
  overhead: { podFixed: { cpu: '100m' } },
  scheduling: { nodeSelector: { sandbox: 'yes' }, tolerations: [{ key: 'sandbox', operator: 'Exists' }] },
}
const MISMATCH = `${REFUSED}pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`
const runtimes: readonly (readonly [rule: string, spec: object, said: string])[] = [
  ['a pod without a class is left alone', {}, 'ok'],
  ['a class brings overhead and place', { runtimeClassName: 'gvisor' }, 'ok'],
  ['a class must be there', { runtimeClassName: 'x' }, `${REFUSED}pod rejected: RuntimeClass "x" not found`],
  ['a class has a name', { runtimeClassName: '' }, '500 resource name may not be empty'],
  ['its name is one of a path', { runtimeClassName: 'a/b' }, `500 invalid resource name "a/b": [may not contain '/']`],
  ['the same overhead in another unit is the same', { runtimeClassName: 'gvisor', overhead: { cpu: '0.1' } }, 'ok'],
  ['another is refused', { runtimeClassName: 'gvisor', overhead: { cpu: '1' } }, MISMATCH],
  ['so is one of more resources', { runtimeClassName: 'gvisor', overhead: { cpu: '100m', memory: '1Mi' } }, MISMATCH],
  [
    'overhead comes from a class',
    { overhead: { cpu: '1' } },
    `${REFUSED}pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`,
  ],
  [
    'the selector must not contradict that of the class',
    { runtimeClassName: 'gvisor', nodeSelector: { sandbox: 'no' } },
    `${REFUSED}conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no`,
  ],
]
for (const [rule, spec, said] of runtimes)
  test(`RuntimeClass: ${rule}`, async () => {
    const { admit, deps } = admissionSetup({ 'node.k8s.io/runtimeclasses': [GVISOR] })
    assert.equal(await admit(runtimeClass(deps), { object: pod(spec) }), said)
  })

test('RuntimeClass: selector and tolerations are joined with the pod’s own', async () => {
  const { admit, deps } = admissionSetup({ 'node.k8s.io/runtimeclasses': [GVISOR] })
  const own = { key: 'a', operator: 'Exists' }
  const object = pod({ runtimeClassName: 'gvisor', nodeSelector: { disk: 'ssd' }, tolerations: [own] })
  await admit(runtimeClass(deps), { object })
  assert.deepEqual(object.spec.nodeSelector, { disk: 'ssd', sandbox: 'yes' })
  assert.deepEqual(object.spec.tolerations, [own, { key: 'sandbox', operator: 'Exists' }])
  assert.deepEqual(object.spec.overhead, { cpu: '100m' })
})

const gpu = (...names: string[]) => ({
  containers: [{ name: 'c', resources: { requests: Object.fromEntries(names.map((n) => [n, '1'])) } }],
})
const devices: readonly (readonly [rule: string, spec: object, keys: readonly string[]])[] = [
  ['cpu and memory need no toleration', gpu('cpu', 'memory', 'hugepages-2Mi'), []],
  ['each device is tolerated, in order', gpu('example.com/b', 'example.com/a'), ['example.com/a NoSchedule', 'example.com/b NoSchedule']],
  ['those of init containers, too', { containers: [], initContainers: gpu('example.com/a').containers }, ['example.com/a NoSchedule']],
  [
    'what is tolerated already is not repeated',
    { ...gpu('example.com/a'), tolerations: [{ key: 'example.com/a', operator: 'Exists', effect: 'NoSchedule' }] },
    ['example.com/a NoSchedule'],
  ],
  [
    'tolerations that cover more do not count',
    { ...gpu('example.com/a'), tolerations: [{ operator: 'Exists' }, { key: 'example.com/a', operator: 'Exists' }] },
    ['- -', 'example.com/a -', 'example.com/a NoSchedule'],
  ],
]
for (const [rule, spec, keys] of devices)
  test(`ExtendedResourceToleration: ${rule}`, async () => {
    const object = pod(spec)
    await admissionSetup().admit(extendedResourceToleration, { object })
    assert.deepEqual(
      (object.spec.tolerations ?? []).map(({ key, effect }) => `${key ?? '-'} ${effect ?? '-'}`),
      keys,
    )
  })

const NOT_READY = 'node.kubernetes.io/not-ready'
const seconds: readonly (readonly [rule: string, tolerations: readonly object[], wanted: readonly string[]])[] = [
  ['both are added', [], [`${NOT_READY} 10`, 'node.kubernetes.io/unreachable 20']],
  ['what is said stays', [{ key: NOT_READY, tolerationSeconds: 1 }], [`${NOT_READY} 1`, 'node.kubernetes.io/unreachable 20']],
  [
    'another effect says nothing of it',
    [{ key: NOT_READY, effect: 'NoSchedule' }],
    [`${NOT_READY} -`, `${NOT_READY} 10`, 'node.kubernetes.io/unreachable 20'],
  ],
  ['who tolerates everything stays as long as he likes', [{ operator: 'Exists' }], ['- -']],
]
for (const [rule, tolerations, wanted] of seconds)
  test(`DefaultTolerationSeconds: ${rule}`, async () => {
    const object = pod({ tolerations })
    await admissionSetup().admit(defaultTolerationSeconds({ notReady: 10, unreachable: 20 }), { object })
    const shown = object.spec.tolerations?.map((t) => `${t.key ?? '-'} ${t.tolerationSeconds ?? '-'}`)
    assert.deepEqual(shown, wanted)
  })
