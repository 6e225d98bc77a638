import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceList } from '../../../resources/types/core.ts'
import { containerStatus } from '../../types/pod.double.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { PodResize } from './pod-resize.ts'

const main = (cpu: string, memory = '64Mi', more: Partial<Container> = {}): Container => ({
  name: 'main',
  image: 'app',
  resources: { requests: { cpu, memory }, limits: { cpu, memory } },
  ...more,
})
const pod = (container: Container, status: Pod['status'] = {}, generation = 2): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', generation },
  spec: { containers: [container] },
  status,
})

test('a pod whose requests equal its allocation needs no resize', () => {
  const resize = new PodResize(pod(main('1')))
  assert.equal(resize.wanted(pod(main('1'))), false)
  assert.deepEqual(resize.actuations(pod(main('1'))), [])
  assert.deepEqual(resize.conditions('now'), [])
})

test('an allocation is reported at once, and in progress until the runtime is updated', () => {
  const resize = new PodResize(pod(main('1')))
  const grown = pod(main('2'))
  assert.equal(resize.wanted(grown), true)
  assert.equal(resize.decide(grown, undefined), true)
  assert.deepEqual([resize.allocated('main')?.requests?.cpu, resize.actuated('main')?.requests?.cpu], ['2', '1'])
  assert.deepEqual(
    resize.conditions('now').map((c) => [c.type, c.observedGeneration]),
    [['PodResizeInProgress', 2]],
  )
  const [reported] = resize.actuations(grown)
  assert.deepEqual([reported?.name, reported?.restart], ['main', false])
  resize.done('main')
  assert.equal(resize.finish(grown), true)
  assert.deepEqual(resize.conditions('now'), [])
  assert.equal(resize.finish(grown), false)
})

test('without room the pod keeps what it has, and the wait is news once', () => {
  const resize = new PodResize(pod(main('1')))
  const grown = pod(main('9'))
  const resizeRefusal = { kind: 'Deferred', resource: 'cpu', message: 'full' } as const
  assert.equal(resize.decide(grown, resizeRefusal), true)
  assert.equal(resize.decide(grown, resizeRefusal), false)
  assert.equal(resize.asAllocated(grown).spec.containers[0]?.resources?.requests?.cpu, '1')
  const [condition] = resize.conditions('now')
  assert.deepEqual([condition?.type, condition?.reason, condition?.message], ['PodResizePending', 'Deferred', 'full'])
})

test('a container is restarted if its resize policy requires it for the changed resources', () => {
  const policy = { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] }
  const restarts = (cpu: string, memory: string) => {
    const resize = new PodResize(pod(main('1', '64Mi', policy)))
    const changed = pod(main(cpu, memory, policy))
    resize.decide(changed, undefined)
    return resize.actuations(changed)[0]?.restart
  }
  assert.deepEqual([restarts('2', '64Mi'), restarts('1', '128Mi')], [false, true])
})

test('a restarted agent restores allocations from the status', () => {
  const reported = containerStatus({
    allocatedResources: { cpu: '1', memory: '64Mi' },
    resources: { limits: { cpu: '1', memory: '64Mi' } },
  })
  const resize = new PodResize(pod(main('2'), { containerStatuses: [reported] }))
  assert.equal(resize.allocated('main')?.requests?.cpu, '1')
  assert.equal(resize.wanted(pod(main('2'))), true)
})

/** A pod with increased resources, whose container runs or not; `over`: nothing was to be actuated. */
function begun(runs: boolean) {
  const resize = new PodResize(pod(main('1')))
  const grown = pod(main('2'))
  resize.decide(grown, undefined)
  return { resize, grown, over: resize.begin(grown, () => runs) }
}

test('where nothing runs that is held to other amounts, a resize is over as it begins', () => {
  const { resize, over } = begun(false)
  assert.equal(over, true)
  assert.deepEqual([resize.actuated('main')?.requests?.cpu, resize.conditions('now')], ['2', []])
})

test('a refused update is reported with its reason, once, and retried', () => {
  const { resize, grown, over } = begun(true)
  assert.equal(over, false)
  assert.deepEqual([resize.failed(grown, 'busy'), resize.failed(grown, 'busy')], [true, false])
  assert.deepEqual(
    resize.conditions('now').map(({ type, reason, message }) => [type, reason, message]),
    [['PodResizeInProgress', 'Error', 'busy']],
  )
  assert.equal(resize.actuations(grown).length, 1)
  assert.deepEqual(resize.podAmounts({ ...grown, status: { phase: 'Running' } }).resources, {
    limits: { cpu: '2', memory: '64Mi' },
    requests: { cpu: '2', memory: '64Mi' },
  })
})

test('a change of pod-level resources alone resizes the pod', () => {
  const whole = (cpu: string): Pod => {
    const p = pod(main('1'))
    return { ...p, spec: { ...p.spec, resources: { requests: { cpu }, limits: { cpu } } } }
  }
  const resize = new PodResize(whole('2'))
  assert.equal(resize.wanted(whole('3')), true)
  resize.decide(whole('3'), undefined)
  assert.equal(
    resize.begin(whole('3'), () => true),
    false,
  )
  assert.equal(resize.finish(whole('3')), true)
  assert.equal(resize.wanted(whole('3')), false)
})

test('a restarted agent restores pod-level allocations from the status during a resize', () => {
  const reported = { allocatedResources: { cpu: '500m' }, resources: { limits: { cpu: '2' } } }
  const p = pod(main('1'), reported as Pod['status'])
  const asking = (requests: string): Pod => ({
    ...p,
    spec: { ...p.spec, resources: { requests: { cpu: requests }, limits: { cpu: '2' } } },
  })
  assert.equal(new PodResize(asking('0.5')).wanted(asking('0.5')), false)
  assert.equal(new PodResize(asking('1')).wanted(asking('1')), true)
})

test('containers that get less are updated first, from the last to the first', () => {
  const of = (...memory: readonly string[]): Pod => {
    const containers = memory.map((amount, i) => main('1', amount, { name: `c${i}` }))
    return { ...pod(main('1')), spec: { containers } }
  }
  const order = (to: Pod) => {
    const resize = new PodResize(of('64Mi', '64Mi', '64Mi'))
    resize.decide(to, undefined)
    return resize.actuationsOf(to, 'memory').map((u) => u.name)
  }
  assert.deepEqual(order(of('32Mi', '128Mi', '32Mi')), ['c2', 'c0', 'c1'])
  assert.deepEqual(order(of('128Mi', '64Mi', '128Mi')), ['c0', 'c2'])
})

test('a container without a limit has that of the pod, and is updated with it', () => {
  const of = (limit: string, own: ResourceList = {}): Pod => {
    const p = pod({ name: 'main', image: 'app', resources: { limits: own } })
    return { ...p, spec: { ...p.spec, resources: { limits: { cpu: limit, memory: '1Gi' } } } }
  }
  const resize = new PodResize(of('1'))
  const grown = of('2')
  resize.decide(grown, undefined)
  const [update] = resize.actuationsOf(grown, 'cpu')
  assert.deepEqual(update, { name: 'main', resources: { limits: { cpu: '2', memory: '1Gi' }, requests: {} } })
  assert.deepEqual(resize.actuationsOf(grown, 'memory'), [])
  resize.done('main', 'cpu')
  assert.deepEqual([resize.actuations(grown), resize.actuated('main')?.limits], [[], {}])

  const limited = new PodResize(of('1', { cpu: '500m' }))
  limited.decide(of('2', { cpu: '500m' }), undefined)
  assert.deepEqual(limited.actuations(of('2', { cpu: '500m' })), [])
})

for (const [rule, before, after, reported] of [
  ['a new limit is shown at once', {}, { memory: '64Mi' }, { memory: '64Mi' }],
  ['a raised one when the runtime has it', { memory: '32Mi' }, { memory: '64Mi' }, { memory: '32Mi' }],
  ['a second one beside the first', { cpu: '1' }, { cpu: '2', memory: '64Mi' }, { cpu: '1', memory: '64Mi' }],
] as const) {
  test(`limits in the status during a resize: ${rule}`, () => {
    const limited = (limits: ResourceList) => pod({ name: 'main', image: 'i', resources: { limits, requests: { cpu: '1' } } })
    const resize = new PodResize(limited(before))
    resize.decide(limited(after), undefined)
    assert.deepEqual(resize.reported('main')?.limits, reported)
  })
}

test('a container without a request for processors has the least of them until its first request is there', () => {
  const requesting = (requests: ResourceList) => pod({ name: 'main', image: 'i', resources: { requests } })
  const resize = new PodResize(requesting({ memory: '32Mi' }))
  resize.decide(requesting({ memory: '32Mi', cpu: '1' }), undefined)
  assert.deepEqual(resize.reported('main')?.requests, { cpu: '2m', memory: '32Mi' })
})
