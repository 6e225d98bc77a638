import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Container, Pod } from '../pod-types.ts'
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

test('a pod that asks for what it has wants nothing', () => {
  const resize = new PodResize(pod(main('1')))
  assert.equal(resize.wanted(pod(main('1'))), false)
  assert.deepEqual(resize.actuations(pod(main('1'))), [])
  assert.deepEqual(resize.conditions('now'), [])
})

test('what is given is told at once, and stands in progress until the runtime was told', () => {
  const resize = new PodResize(pod(main('1')))
  const grown = pod(main('2'))
  assert.equal(resize.wanted(grown), true)
  assert.equal(resize.decide(grown, undefined), true)
  assert.deepEqual([resize.allocated('main')?.requests?.cpu, resize.actuated('main')?.requests?.cpu], ['2', '1'])
  assert.deepEqual(
    resize.conditions('now').map((c) => [c.type, c.observedGeneration]),
    [['PodResizeInProgress', 2]],
  )
  const [told] = resize.actuations(grown)
  assert.deepEqual([told?.name, told?.restart], ['main', false])
  resize.done('main', told?.resources ?? {})
  assert.equal(resize.finish(grown), true)
  assert.deepEqual(resize.conditions('now'), [])
  assert.equal(resize.finish(grown), false)
})

test('without room the pod keeps what it has, and the wait is news once', () => {
  const resize = new PodResize(pod(main('1')))
  const grown = pod(main('9'))
  const noRoom = { kind: 'Deferred', resource: 'cpu', message: 'full' } as const
  assert.equal(resize.decide(grown, noRoom), true)
  assert.equal(resize.decide(grown, noRoom), false)
  assert.equal(resize.asAllocated(grown).spec.containers[0]?.resources?.requests?.cpu, '1')
  const [condition] = resize.conditions('now')
  assert.deepEqual([condition?.type, condition?.reason, condition?.message], ['PodResizePending', 'Deferred', 'full'])
})

test('a container whose policy says so is restarted, for the amounts that it names only', () => {
  const policy = { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] }
  const restarts = (cpu: string, memory: string) => {
    const resize = new PodResize(pod(main('1', '64Mi', policy)))
    const changed = pod(main(cpu, memory, policy))
    resize.decide(changed, undefined)
    return resize.actuations(changed)[0]?.restart
  }
  assert.deepEqual([restarts('2', '64Mi'), restarts('1', '128Mi')], [false, true])
})

test('an agent that starts knows from the status what was given before it came', () => {
  const told = { name: 'main', allocatedResources: { cpu: '1', memory: '64Mi' }, resources: { limits: { cpu: '1', memory: '64Mi' } } }
  const resize = new PodResize(pod(main('2'), { containerStatuses: [told] }))
  assert.equal(resize.allocated('main')?.requests?.cpu, '1')
  assert.equal(resize.wanted(pod(main('2'))), true)
})
