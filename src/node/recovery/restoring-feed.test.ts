import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../machinery/object.ts'
import type { ContainerState } from '../../resources/types/core.ts'
import type { NodeFeed, NodeFollower } from '../feed.ts'
import type { RestoredPod } from '../runtime/simulated/simulated-runtime.ts'
import { containerStatus, podDouble } from '../types/pod.double.ts'
import { restoredPod, restoringFeed } from './restoring-feed.ts'

const RUNNING = { running: { startedAt: '2026-01-01T00:00:10Z' } }

/** A pod whose container has this state, by its status. */
const podWith = (state: ContainerState, more: Parameters<typeof podDouble>[0] = {}) =>
  podDouble({
    ...more,
    status: {
      phase: 'Running',
      podIPs: [{ ip: '10.1.2.9' }],
      containerStatuses: [containerStatus({ imageID: 'id', containerID: 'simulated://c', restartCount: 2, state })],
      ...more.status,
    },
  })

test('a container that was running is restored with its id, its attempt, its start and its address', () => {
  const { sandbox, containers } = restoredPod(podWith(RUNNING)) ?? {}
  assert.deepEqual(sandbox?.ips, ['10.1.2.9'])
  assert.deepEqual(
    containers?.map(({ id, startedAtMs, spec: { name, attempt, image, imageId } }) => ({ id, startedAtMs, name, attempt, image, imageId })),
    [{ id: 'simulated://c', startedAtMs: Date.parse('2026-01-01T00:00:10Z'), name: 'main', attempt: 2, image: 'app', imageId: 'id' }],
  )
})

test("a pod on the host's network has no address of its own", () => {
  assert.deepEqual(restoredPod(podWith(RUNNING, { spec: { hostNetwork: true } }))?.sandbox.ips, [])
})

test('a mirror pod restores the containers of its static pod, under that uid', () => {
  const annotations = { 'kubernetes.io/config.mirror': 'static-uid', 'kubernetes.io/config.hash': 'static-uid' }
  assert.equal(restoredPod(podWith(RUNNING, { metadata: { annotations } }))?.sandbox.spec.pod.uid, 'static-uid')
})

for (const [text, pod] of [
  ['waits', podWith({ waiting: { reason: 'ContainerCreating' } })],
  ['has ended', podWith({ terminated: { exitCode: 0 } })],
  ['is of a pod that has ended', podWith(RUNNING, { status: { phase: 'Failed' } })],
  ['was never made', podDouble()],
] as const)
  test(`a container that ${text} is not restored`, () => assert.equal(restoredPod(pod), undefined))

test('a pod is restored before the agent sees it, once, and again after it was away', () => {
  const log: string[] = []
  let reported: NodeFollower | undefined
  const feed: NodeFeed = {
    synced: Promise.resolve(),
    pod: () => undefined,
    services: () => [],
    follow(_, follower) {
      reported = follower
      return () => {}
    },
  }
  const runtime = { restore: ({ sandbox }: RestoredPod) => void log.push(`restore ${sandbox.spec.pod.uid}`) }
  const see = (what: string) => (object: KubeObject) => void log.push(`${what} ${object.metadata.uid}`)
  restoringFeed(feed, runtime).follow('node', { node: see('node'), pod: see('pod'), podGone: see('gone') })
  const pod = podWith(RUNNING)
  for (const object of [pod, pod]) reported?.pod(object)
  reported?.podGone(pod)
  reported?.pod(pod)
  assert.deepEqual(log, ['restore u', 'pod u', 'pod u', 'gone u', 'restore u', 'pod u'])
})
