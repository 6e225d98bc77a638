import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PodAmounts, type PodStatusAmounts, podLimits, podRequests, sumOfPod } from './pod-requests.ts'

const of = (amounts: Record<string, string>, more: object = {}) => ({ resources: { requests: amounts }, ...more })
const sidecar = { restartPolicy: 'Always' }
const shown = (totals: ReadonlyMap<string, { toString(): string }>) =>
  [...totals]
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
    .join(' ')

const table: readonly [what: string, spec: PodAmounts, sum: string][] = [
  ['containers add up', { containers: [of({ cpu: '1' }), of({ cpu: '500m', memory: '1Gi' })] }, 'cpu=1500m memory=1Gi'],
  [
    'an init container counts where it alone asks for more',
    { containers: [of({ cpu: '1' })], initContainers: [of({ cpu: '3' })] },
    'cpu=3',
  ],
  ['sidecars run beside the containers', { containers: [of({ cpu: '1' })], initContainers: [of({ cpu: '2' }, sidecar)] }, 'cpu=3'],
  [
    'an init container runs beside the sidecars before it, not beside those after it',
    { containers: [of({ cpu: '1' })], initContainers: [of({ cpu: '1' }, sidecar), of({ cpu: '4' }), of({ cpu: '2' }, sidecar)] },
    'cpu=5',
  ],
  [
    'pod-level amounts stand in place of the sum, but for resources that a pod cannot ask for as a whole',
    { containers: [of({ cpu: '1', 'a/b': '1' })], resources: { requests: { cpu: '7', 'a/b': '9' } } },
    'a/b=1 cpu=7',
  ],
  ['the overhead comes on top', { containers: [of({ cpu: '1' })], overhead: { cpu: '1', memory: '5' } }, 'cpu=2 memory=5'],
]
for (const [what, spec, sum] of table) test(what, () => assert.equal(shown(podRequests(spec)), sum))

test('the overhead limits only what is limited', () => {
  const spec = { containers: [{ resources: { limits: { cpu: '1' } } }], overhead: { cpu: '1', memory: '5' } }
  assert.equal(shown(podLimits(spec)), 'cpu=2')
})

test('a pod that is resized in place counts the largest of requested, allocated and used', () => {
  const spec: PodAmounts = { containers: [of({ cpu: '1' }, { name: 'a' })], initContainers: [of({ cpu: '1' }, { name: 's', ...sidecar })] }
  const held = (name: string, allocated: string, used: string) => ({
    name,
    allocatedResources: { cpu: allocated },
    resources: { requests: { cpu: used } },
  })
  const status: PodStatusAmounts = { containerStatuses: [held('a', '2', '3')], initContainerStatuses: [held('s', '5', '4')] }
  assert.equal(shown(podRequests(spec, { status })), 'cpu=8')
  assert.equal(shown(podRequests(spec, { status: { containerStatuses: [{ name: 'a', allocatedResources: { cpu: '9' } }] } })), 'cpu=2')
})

test('what can never be carried out is not counted', () => {
  const status: PodStatusAmounts = {
    conditions: [{ type: 'PodResizePending', reason: 'Infeasible' }],
    containerStatuses: [{ name: 'a', allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '1' } } }],
  }
  assert.equal(shown(podRequests({ containers: [of({ cpu: '100' }, { name: 'a' })] }, { status })), 'cpu=1')
})

test('the rule is the same over another algebra', () => {
  const lengths = {
    read: (_: string, written: string | number) => String(written).length,
    add: (a: number, b: number) => a + b,
    larger: Math.max,
  }
  const spec = { containers: [of({ cpu: '11' }), of({})], initContainers: [of({ cpu: '11111' })] }
  assert.equal(shown(sumOfPod(lengths, spec, 'requests', { missing: { cpu: '111' } })), 'cpu=5')
})
