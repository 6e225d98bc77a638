import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import * as refs from '../../resources/refs.ts'
import type { PersistentVolume, Pod } from '../../resources/types/core.ts'
import type { ResourceRef, Target } from '../../sdk/client/client.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planRecycling, wipedBy } from './recycling.ts'

const object = <T extends KubeObject>(kind: string, name: string, rest: { metadata?: object; [field: string]: unknown }): T =>
  sketch({
    apiVersion: 'v1',
    kind,
    ...rest,
    metadata: { name, ...rest.metadata },
  })
const volume = (spec: JsonObject): PersistentVolume =>
  object('PersistentVolume', 'pv', { spec: { claimRef: { namespace: 'n', name: 'c', uid: 'u' }, capacity: { storage: '10Gi' }, ...spec } })
const user = (name: string, phase: string) =>
  object<Pod>('Pod', name, {
    metadata: { name, namespace: 'n' },
    spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
    status: { phase },
  })

test('an unused volume is recycled by a pod, with a time limit by its size', () => {
  const recycler = (phase: string, message?: string) =>
    object<Pod>('Pod', 'recycler-for-pv', { status: { phase, ...(message && { message }) } })
  const none = { recycler: undefined, pods: [], claimed: false }
  const path = volume({ hostPath: { path: '/data' } })
  for (const [facts, expected] of [
    [none, 'create'],
    [{ ...none, pods: [user('a', 'Succeeded')] }, 'create'],
    [{ ...none, pods: [user('b', 'Running'), user('a', 'Pending')] }, 'in use: Volume is used by pods: n/a,n/b'],
    [{ ...none, pods: [user('a', 'Running')], claimed: true }, 'create'],
    [{ ...none, recycler: recycler('Running') }, 'wait'],
    [{ ...none, recycler: recycler('Succeeded') }, 'done'],
    [{ ...none, recycler: recycler('Failed') }, 'failed: Recycle failed: failed to recycle volume: pod failed, pod.Status.Message unknown'],
    [{ ...none, recycler: recycler('Failed', 'too late') }, 'failed: Recycle failed: failed to recycle volume: too late'],
  ] as const) {
    const plan = planRecycling(path, facts)
    assert.equal('message' in plan ? `${plan.kind}: ${plan.message}` : plan.kind, expected)
  }
  const deadline = (spec: JsonObject) => {
    const plan = planRecycling(volume(spec), none)
    return plan.kind === 'create' && [plan.pod.spec.activeDeadlineSeconds, plan.pod.spec.volumes?.[0], wipedBy(plan.pod)]
  }
  assert.deepEqual(deadline({ hostPath: { path: '/data', type: 'Directory' } }), [300, { name: 'vol', hostPath: { path: '/data' } }, 'pv'])
  assert.deepEqual(deadline({ hostPath: { path: '/d' }, capacity: { storage: '1Gi' } }), [
    60,
    { name: 'vol', hostPath: { path: '/d' } },
    'pv',
  ])
  const share = { server: 's', path: '/x' }
  assert.deepEqual(deadline({ nfs: share, capacity: { storage: '1Gi' } }), [300, { name: 'vol', nfs: share }, 'pv'])
})

test('a recycled volume is there for the next claim, and empty', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  await using cluster = await startCluster({ nodes: 1 }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const at = <T extends KubeObject>(ref: ResourceRef<T>, name?: string): Target<T> => ({
    ...ref,
    namespace: 'default',
    ...(name !== undefined && { name }),
  })
  const shared = { accessModes: ['ReadWriteOnce'], storageClassName: '' }
  const spec = { ...shared, capacity: { storage: '1Gi' }, hostPath: { path: '/tmp/data' }, persistentVolumeReclaimPolicy: 'Recycle' }
  await client.create(refs.PERSISTENT_VOLUMES, object('PersistentVolume', 'pv', { spec }))
  const run = async (claim: string, script: string) => {
    const wanted = { ...shared, resources: { requests: { storage: '1Gi' } } }
    await client.create(at(refs.PERSISTENT_VOLUME_CLAIMS), object('PersistentVolumeClaim', claim, { spec: wanted }))
    const container = { name: 'c', image: 'busybox', command: ['sh', '-c', script], volumeMounts: [{ name: 'v', mountPath: '/v' }] }
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: claim } }]
    await client.create(at(refs.PODS), object('Pod', claim, { spec: { restartPolicy: 'Never', containers: [container], volumes } }))
    const ended = async () => ['Succeeded', 'Failed'].includes((await client.get<Pod>(at(refs.PODS, claim))).status?.phase ?? '')
    await waitFor(ended, { clock })
    return (await client.get<Pod>(at(refs.PODS, claim))).status?.phase
  }
  assert.equal(await run('first', 'mkdir -p /v/deep/er && echo mine > /v/deep/er/secret'), 'Succeeded')
  await client.delete(at(refs.PODS, 'first'))
  await client.delete(at(refs.PERSISTENT_VOLUME_CLAIMS, 'first'))
  const phase = async () => (await client.get({ ...refs.PERSISTENT_VOLUMES, name: 'pv' })).status?.phase
  await waitFor(async () => (await phase()) === 'Available', { clock })
  assert.equal(await run('second', 'test -z "$(ls -A /v)"'), 'Succeeded')
  const said = (await client.list(refs.CORE_EVENTS, { fieldSelector: 'involvedObject.name=pv' })).items
  assert.deepEqual(
    said.map((e) => `${e.reason}: ${e.message}`),
    ['VolumeRecycled: Volume recycled'],
  )
})
