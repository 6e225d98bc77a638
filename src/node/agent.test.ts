import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { exposition } from '../base/exposition.ts'
import { silentLogger } from '../base/logger.ts'
import { seededRandom } from '../base/random.ts'
import { NODES, PODS } from '../resources/refs.ts'
import type { Pod } from '../resources/types/core.ts'
import type { Client } from '../sdk/client/client.ts'
import { NodeAgent } from './agent.ts'
import type { NodeFeed, NodeFollower } from './feed.ts'
import { openNode } from './open-node.double.ts'
import type { Runtime } from './runtime/runtime.ts'
import { defaultScript, type Script } from './runtime/simulated/behaviour.ts'
import { createSimulatedNetwork } from './runtime/simulated/simulated-network.ts'
import { createSimulatedRuntime } from './runtime/simulated/simulated-runtime.ts'
import { DEFAULT_MACHINE, type NodeStatusSource } from './status/node-object.ts'
import type { AdmitHandler, Refusal } from './types/admit-handler.ts'

const idOf = (pod: Pod) => pod.status?.containerStatuses?.[0]?.containerID

test('a restarted agent takes over running containers: the same containers, the same restart counts', async () => {
  await using node = await openNode()
  await node.create('steady')
  await node.create('restarted', {}, { 'simulated.bowsprit.dev/run-seconds': '2' })
  await node.clock.advance(60_000)
  const before = await Promise.all([node.pod('steady'), node.pod('restarted')])
  const running = await node.containers()
  assert.ok((before[1].status?.containerStatuses?.[0]?.restartCount ?? 0) > 0)
  await node.stop()
  assert.deepEqual(await node.containers(), running, 'what runs outlives its agent')
  await node.start()
  const after = await Promise.all([node.pod('steady'), node.pod('restarted')])
  assert.equal(idOf(after[0]), idOf(before[0]))
  assert.equal(after[0].status?.containerStatuses?.[0]?.restartCount, 0)
  assert.deepEqual(after[0].status, before[0].status)
  const restartsOf = (pod: Pod) => pod.status?.containerStatuses?.[0]?.restartCount ?? Number.NaN
  assert.ok(restartsOf(after[1]) >= restartsOf(before[1]))
})

test('what an agent does for its pods is counted under the names of the kubelet', async () => {
  await using node = await openNode()
  await node.create('runs')
  await node.create('fails', { containers: [{ name: 'main', image: 'absent', imagePullPolicy: 'Never' }] })
  await node.clock.advance(3000)
  await node.client.delete({ ...PODS, namespace: 'default', name: 'runs' })
  await node.clock.advance(60_000)
  const lines = exposition(node.families()).split('\n')
  const count = (series: string) => Number(lines.find((line) => line.startsWith(`${series} `))?.split(' ')[1] ?? Number.NaN)
  assert.equal(count('kubelet_pod_start_duration_seconds_count'), 1)
  assert.equal(count('kubelet_pod_start_total_duration_seconds_count'), 1)
  assert.equal(count('kubelet_containers_per_pod_count_count'), 2)
  assert.equal(count('kubelet_pod_worker_duration_seconds_count{operation_type="create"}'), 2)
  assert.ok(count('kubelet_pod_worker_duration_seconds_count{operation_type="sync"}') > 0)
  assert.ok(count('kubelet_pod_worker_duration_seconds_count{operation_type="update"}') > 0)
  assert.equal(count('kubelet_started_pods_total'), 2)
  assert.equal(count('kubelet_runtime_operations_total{operation_type="run_podsandbox"}'), 2)
  assert.ok(count('kubelet_started_containers_errors_total{code="ErrImageNeverPull",container_type="container"}') > 0)
})

test('an agent that stops while containers wait for each other to end leaves no unhandled rejection', async () => {
  const listingFailed: unknown[] = []
  const note = (reason: unknown) => listingFailed.push(reason)
  process.on('unhandledRejection', note)
  try {
    await using node = await openNode()
    const sidecar = { name: 'side', image: 'app', restartPolicy: 'Always', lifecycle: { preStop: { sleep: { seconds: 20 } } } }
    await node.create('p', { initContainers: [sidecar] }, { 'simulated.bowsprit.dev/stop-seconds': '25' })
    await node.clock.advance(1000)
    await node.client.delete({ ...PODS, namespace: 'default', name: 'p' })
    await node.clock.advance(1000)
    assert.deepEqual(await node.containers(), ['p/main#0:running', 'p/side#0:running'])
    await node.stop()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(listingFailed, [])
  } finally {
    process.off('unhandledRejection', note)
  }
})

test('pods that ended or were deleted while no agent ran are reported and cleaned up by the next one', async () => {
  await using node = await openNode()
  await node.create('ends', { restartPolicy: 'Never' })
  await node.create('deleted')
  await node.create('forced')
  await node.stop()
  const all = await node.runtime.containers({}, new AbortController().signal)
  node.runtime.end(all.find((c) => c.pod.name === 'ends')?.id ?? '', 4)
  await node.client.delete({ ...PODS, namespace: 'default', name: 'deleted' }, { gracePeriodSeconds: 1 })
  await node.client.delete({ ...PODS, namespace: 'default', name: 'forced' }, { gracePeriodSeconds: 0 })
  await node.start()
  assert.ok((await node.containers()).includes('forced/main#0:running'), 'its turn is at the first housekeeping')
  await node.clock.advance(5000)
  assert.equal((await node.pod('ends')).status?.phase, 'Failed')
  await assert.rejects(node.pod('deleted'), /not found/)
  assert.deepEqual(await node.containers(), ['ends/main#0:exited'])
})

test('a pod that was deleted while no agent ran is not probed: what runs of it counts as started and ready while it stops', async () => {
  const script: Script = { ...defaultScript, exec: () => ({ exitCode: 1 }), container: () => ({ onStop: 'ignore' }) }
  await using node = await openNode({ script })
  const probe = { exec: { command: ['check'] }, periodSeconds: 1, failureThreshold: 100 }
  await node.create('p', { containers: [{ name: 'main', image: 'app', startupProbe: probe, readinessProbe: probe }] })
  await node.clock.advance(3000)
  const shown = async () => (await node.pod('p')).status?.containerStatuses?.map(({ started, ready }) => [started, ready])
  assert.deepEqual(await shown(), [[false, false]])
  await node.stop()
  await node.client.delete({ ...PODS, namespace: 'default', name: 'p' }, { gracePeriodSeconds: 10 })
  await node.start()
  await node.clock.advance(3000)
  assert.deepEqual(await shown(), [[true, true]])
})

test('a sandbox that appears for a pod without an object is removed: a killed agent had asked for it', async () => {
  await using node = await openNode()
  const { signal } = new AbortController()
  const dns = { servers: [], searches: [], options: [] }
  const pod = { name: 'gone', namespace: 'default', uid: 'u' }
  await node.runtime.runSandbox(
    { pod, attempt: 0, hostname: 'gone', hostNetwork: false, dns, runtimeHandler: '', labels: {}, annotations: {} },
    signal,
  )
  assert.equal((await node.runtime.sandboxes({}, signal)).length, 1)
  await node.clock.advance(5000)
  assert.deepEqual(await node.runtime.sandboxes({}, signal), [])
})

test("a pod's resources are free before its object is deleted: a pod that is bound at that moment is admitted", async () => {
  const log: string[] = []
  const devices: AdmitHandler = {
    name: 'devices',
    admit: async () => undefined,
    release: (pod) => void log.push(`free ${pod.metadata.name}`),
  }
  await using node = await openNode({ admission: [devices], deleting: (name) => log.push(`delete ${name}`) })
  await node.create('old')
  await node.client.delete({ ...PODS, namespace: 'default', name: 'old' }, { gracePeriodSeconds: 1 })
  await node.clock.advance(5000)
  assert.deepEqual(log, ['free old', 'delete old'])
})

test("a pod's requests and allocations count until its object is gone, as in the kubelet", async () => {
  const log: string[] = []
  const devices: AdmitHandler = {
    name: 'devices',
    admit: async () => undefined,
    release: (pod) => void log.push(`free ${pod.metadata.name}`),
  }
  await using node = await openNode({ admission: [devices] })
  const allocatable = (await node.client.get({ ...NODES, name: 'node-1' })).status?.allocatable?.cpu
  const main = { name: 'main', image: 'app', resources: { requests: { cpu: allocatable } } }
  const slow = { ...main, lifecycle: { preStop: { sleep: { seconds: 79 } } } }
  const old = { ...PODS, namespace: 'default', name: 'old' }
  await node.create('old', { containers: [slow], terminationGracePeriodSeconds: 80 })
  await node.client.delete(old)
  await node.create('early', { containers: [main] })
  assert.equal((await node.pod('early')).status?.reason, 'OutOfcpu')
  await node.client.delete(old, { gracePeriodSeconds: 0 })
  await node.create('new', { containers: [main] })
  assert.equal((await node.pod('new')).status?.phase, 'Running')
  assert.deepEqual(log, ['free early', 'free old'])
  await node.clock.advance(90_000)
  assert.deepEqual(log, ['free early', 'free old'])
})

test('pods are admitted one after the other in order, and allocations reach the container and are released', async () => {
  const log: string[] = []
  let inside = 0
  const slow: { clock?: VirtualClock } = {}
  const devices: AdmitHandler = {
    name: 'devices',
    async admit({ pod }): Promise<Refusal | undefined> {
      assert.equal(++inside, 1, 'nobody else is admitted meanwhile')
      await slow.clock?.sleep(500)
      inside--
      log.push(`+${pod.metadata.name}`)
      return pod.metadata.name === 'b' ? { reason: 'UnexpectedAdmissionError', message: 'no device is left' } : undefined
    },
    release: (pod) => void log.push(`-${pod.metadata.name}`),
    additions: (pod) => ({ environment: [{ name: 'DEVICE', value: `for-${pod.metadata.name}` }], cdiDevices: ['v/c=0'] }),
  }
  const made: string[] = []
  const script: Script = {
    ...defaultScript,
    container(c) {
      made.push(`${c.spec.pod.name} ${c.spec.environment.find((e) => e.name === 'DEVICE')?.value} ${c.spec.cdiDevices}`)
      return {}
    },
  }
  await using node = await openNode({ admission: [devices], script })
  slow.clock = node.clock
  for (const name of ['a', 'b', 'c']) await node.create(name)
  await node.clock.advance(5000)
  assert.deepEqual(log, ['+a', '+b', '+c'])
  assert.deepEqual(made, ['a for-a v/c=0', 'c for-c v/c=0'])
  const refused = await node.pod('b')
  assert.deepEqual([refused.status?.phase, refused.status?.reason], ['Failed', 'UnexpectedAdmissionError'])
  await node.client.delete({ ...PODS, namespace: 'default', name: 'a' }, { gracePeriodSeconds: 1 })
  await node.clock.advance(5000)
  assert.deepEqual(log, ['+a', '+b', '+c', '-a'])
})

test('a deletion waits for a pull that has begun, however long, and stops the container that follows it', async () => {
  const script: Script = { ...defaultScript, image: () => ({ kind: 'found', sizeBytes: 1, pullMs: 60_000 }) }
  await using node = await openNode({ script })
  await node.create('slow')
  await node.client.delete({ ...PODS, namespace: 'default', name: 'slow' }, { gracePeriodSeconds: 5 })
  await node.clock.advance(59_000)
  assert.equal((await node.pod('slow')).status?.phase, 'Pending')
  await node.clock.advance(3000)
  await assert.rejects(node.pod('slow'), /not found/)
  assert.ok((await node.said('slow')).includes('Killing: Stopping container main'))
})

const TOO_LARGE = { containers: [{ name: 'main', image: 'app', resources: { requests: { cpu: '1000' } } }] }
const endOf = ({ status }: Pod) => [status?.reason, status?.containerStatuses?.[0]?.state?.terminated?.reason]

test('the status of a refused pod is completed when somebody changes the pod', async () => {
  await using node = await openNode()
  await node.create('large', TOO_LARGE)
  await node.clock.advance(5000)
  assert.deepEqual(endOf(await node.pod('large')), ['OutOfcpu', undefined])
  await node.client.patch({ ...PODS, namespace: 'default', name: 'large' }, 'merge', { metadata: { labels: { seen: 'yes' } } })
  await node.clock.advance(1000)
  assert.deepEqual(endOf(await node.pod('large')), ['OutOfcpu', 'ContainerStatusUnknown'])
})

test('the deadline of a refused pod replaces the reason of its end', async () => {
  await using node = await openNode()
  await node.create('large', { ...TOO_LARGE, activeDeadlineSeconds: 10 })
  await node.clock.advance(9000)
  assert.deepEqual(endOf(await node.pod('large')), ['OutOfcpu', undefined])
  await node.clock.advance(2000)
  assert.deepEqual(endOf(await node.pod('large')), ['DeadlineExceeded', 'ContainerStatusUnknown'])
})

test('of a refused pod only the first init container may have run', async () => {
  await using node = await openNode()
  const initContainers = ['first', 'second'].map((name) => ({ name, image: 'app' }))
  await node.create('large', { ...TOO_LARGE, initContainers, activeDeadlineSeconds: 1 })
  await node.clock.advance(2000)
  const { initContainerStatuses = [], containerStatuses = [] } = (await node.pod('large')).status ?? {}
  const states = [...initContainerStatuses, ...containerStatuses].map(({ state }) => state?.terminated?.reason ?? state?.waiting?.reason)
  assert.deepEqual(states, ['ContainerStatusUnknown', 'PodInitializing', 'PodInitializing'])
})

test('a failing runtime is retried; other pods are not affected', async () => {
  let failures = 3
  const wrap = (runtime: Runtime): Runtime => ({
    ...runtime,
    async containers(filter, signal) {
      if (failures > 0 && failures--) throw new Error('the socket is closed')
      return runtime.containers(filter, signal)
    },
  })
  await using node = await openNode({ wrap })
  await node.create('p')
  await node.clock.advance(10_000)
  assert.equal(failures, 0)
  assert.equal((await node.pod('p')).status?.phase, 'Running')
})

test('main containers of a pod that is deleted before its sidecar has started have not run', async () => {
  const script: Script = { ...defaultScript, image: () => ({ kind: 'found', sizeBytes: 1, pullMs: 5000 }) }
  await using node = await openNode({ script })
  await node.create('p', { initContainers: [{ name: 'side', image: 'app', restartPolicy: 'Always' }] })
  const target = { ...PODS, namespace: 'default', name: 'p' }
  await node.client.patch(target, 'merge', { metadata: { finalizers: ['example.com/kept'] } })
  await node.client.delete(target)
  await node.clock.advance(10_000)
  const { phase, containerStatuses } = (await node.pod('p')).status ?? {}
  assert.deepEqual([phase, containerStatuses?.[0]?.state], ['Failed', { waiting: { reason: 'PodInitializing' } }])
})

test('a failed pull is reported a second after a sidecar has started', async () => {
  await using node = await openNode()
  const initContainers = [{ name: 'side', image: 'app', restartPolicy: 'Always' }]
  await node.create('p', { initContainers, containers: [{ name: 'main', image: 'missing' }] })
  const reason = async () => (await node.pod('p')).status?.containerStatuses?.[0]?.state?.waiting?.reason
  assert.equal(await reason(), 'PodInitializing')
  await node.clock.advance(1000)
  assert.equal(await reason(), 'ErrImagePull')
})

test('a deadline ends a pod that waits for a volume only when that wait is over', async () => {
  await using node = await openNode()
  const volumes = [{ name: 'v', configMap: { name: 'absent' } }]
  const containers = [{ name: 'main', image: 'app', volumeMounts: [{ name: 'v', mountPath: '/v' }] }]
  await node.create('p', { activeDeadlineSeconds: 5, volumes, containers })
  await node.clock.advance(120_000)
  assert.equal((await node.pod('p')).status?.phase, 'Pending')
  await node.clock.advance(5000)
  const { phase, reason } = (await node.pod('p')).status ?? {}
  assert.deepEqual([phase, reason], ['Failed', 'DeadlineExceeded'])
})

test('a deadline that passes while a deleted pod is being stopped is the reason of its end', async () => {
  await using node = await openNode()
  await node.create('p', { activeDeadlineSeconds: 5 }, { 'simulated.bowsprit.dev/stop-seconds': '10' })
  await node.client.delete({ ...PODS, namespace: 'default', name: 'p' }, { gracePeriodSeconds: 20 })
  await node.clock.advance(12_000)
  await assert.rejects(node.pod('p'), /not found/)
  assert.ok((await node.said('p')).includes('DeadlineExceeded: Pod was active on the node longer than the specified deadline'))
})

test('an ephemeral container waits until its target has been created', async () => {
  await using node = await openNode()
  const initContainers = [{ name: 'init', image: 'app', command: ['sleep', '20'] }]
  await node.create('p', { initContainers })
  const ephemeralContainers = [{ name: 'debug', image: 'app', targetContainerName: 'main' }]
  const target = { ...PODS, namespace: 'default', name: 'p', subresource: 'ephemeralcontainers' }
  await node.client.patch(target, 'strategic', { spec: { ephemeralContainers } })
  await node.clock.advance(1000)
  const state = async () => (await node.pod('p')).status?.ephemeralContainerStatuses?.[0]?.state
  const wait = { reason: 'CreateContainerConfigError', message: 'unable to find target container main' }
  assert.deepEqual(await state(), { waiting: wait })
  await node.clock.advance(30_000)
  assert.ok((await state())?.running)
})

test('a failing liveness probe restarts its container, a failing readiness probe makes it unready', async () => {
  let healthy = true
  const script: Script = { ...defaultScript, exec: () => ({ exitCode: healthy ? 0 : 1 }) }
  await using node = await openNode({ script })
  const probe = { exec: { command: ['check'] }, periodSeconds: 1 }
  const containers = [
    { name: 'live', image: 'app', livenessProbe: { ...probe, failureThreshold: 2 } },
    { name: 'ready', image: 'app', readinessProbe: { ...probe, failureThreshold: 1 } },
  ]
  await node.create('p', { containers })
  const statuses = async () =>
    ((await node.pod('p')).status?.containerStatuses ?? []).map((s: { name: string; ready: boolean; restartCount: number }) => [
      s.name,
      s.ready,
      s.restartCount,
    ])
  assert.deepEqual(await statuses(), [
    ['live', true, 0],
    ['ready', true, 0],
  ])
  healthy = false
  await node.clock.advance(1500)
  assert.deepEqual(await statuses(), [
    ['live', true, 0],
    ['ready', false, 0],
  ])
  healthy = true
  await node.clock.advance(1500)
  healthy = false
  await node.clock.advance(2500)
  healthy = true
  await node.clock.advance(1500)
  assert.deepEqual(await statuses(), [
    ['live', true, 1],
    ['ready', true, 0],
  ])
})

test("a source's values are added to the node's capacity and allocatable, and change with it", async () => {
  let count = '2'
  let notify = () => {}
  const source: NodeStatusSource = {
    capacity: () => ({ 'example.com/dongle': '2' }),
    allocatable: () => ({ 'example.com/dongle': count }),
    watch: (changed) => {
      notify = changed
    },
  }
  await using node = await openNode({ sources: [source] })
  const amounts = async () => {
    const { capacity, allocatable } = (await node.client.get({ ...NODES, name: 'node-1' })).status ?? {}
    return [capacity?.['example.com/dongle'], allocatable?.['example.com/dongle']]
  }
  assert.deepEqual(await amounts(), ['2', '2'])
  count = '1'
  notify()
  await node.clock.advance(100)
  assert.deepEqual(await amounts(), ['2', '1'])
})

test('a node that was marked unknown reports its state as soon as it sees that', async () => {
  await using node = await openNode()
  const unknown = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
  await node.client.patch({ ...NODES, name: 'node-1', subresource: 'status' }, 'strategic', { status: { conditions: [unknown] } })
  await node.clock.advance(1000)
  const { conditions } = (await node.client.get({ ...NODES, name: 'node-1' })).status ?? {}
  assert.equal(conditions?.find((c: { type: string }) => c.type === 'Ready')?.status, 'True')
})

test('a node reports that its runtime is not ready, or down after a long silence, and its recovery', async () => {
  const state: { answer: 'well' | 'no-network' | 'silent' } = { answer: 'well' }
  const wrap = (runtime: Runtime): Runtime => ({
    ...runtime,
    async status(signal) {
      if (state.answer === 'silent') throw new Error('connection refused')
      if (state.answer === 'well') return runtime.status(signal)
      return { ready: true, networkReady: false, message: 'NetworkReady=false reason:NoPlugin message:none' }
    },
  })
  await using node = await openNode({ wrap })
  const ready = async () => {
    const { conditions } = (await node.client.get({ ...NODES, name: 'node-1' })).status ?? {}
    const condition = conditions?.find((c) => c.type === 'Ready')
    return [condition?.status, condition?.reason, condition?.message]
  }
  const well = ['True', 'KubeletReady', 'kubelet is posting ready status']
  assert.deepEqual(await ready(), well)
  state.answer = 'no-network'
  await node.clock.advance(6000)
  const without = 'container runtime network not ready: NetworkReady=false reason:NoPlugin message:none'
  assert.deepEqual(await ready(), ['False', 'KubeletNotReady', without])
  await node.create('waits')
  await node.create('needs-none', { hostNetwork: true })
  assert.deepEqual(await node.containers(), ['needs-none/main#0:running'])
  state.answer = 'well'
  await node.clock.advance(6000)
  assert.deepEqual(await ready(), well)
  assert.equal((await node.containers()).length, 2)
  state.answer = 'silent'
  await node.clock.advance(20_000)
  assert.deepEqual(await ready(), well)
  await node.clock.advance(20_000)
  assert.deepEqual(await ready(), ['False', 'KubeletNotReady', 'container runtime is down'])
})

test('a pod that arrives before the Node object waits for it', async () => {
  const clock = new VirtualClock()
  const requested: string[] = []
  const follower: { current?: NodeFollower } = {}
  const feed: NodeFeed = {
    synced: Promise.resolve(),
    pod: () => undefined,
    services: () => [],
    follow(_name, reported) {
      follower.current = reported
      return () => {}
    },
  }
  const gate: AdmitHandler = {
    name: 'gate',
    async admit({ pod, node: seen }) {
      requested.push(`${pod.metadata.name} on ${seen.metadata.name}`)
      return { reason: 'Enough', message: 'for this test' }
    },
    release: () => {},
  }
  const runtime = createSimulatedRuntime({ clock, random: seededRandom(1), podSubnets: ['10.9.7.'] })
  const identity = { name: 'node-1', ip: '192.0.2.1', machine: DEFAULT_MACHINE, runtime, ids: { machineId: 'm', bootId: 'b' } }
  const client = { patch: async () => ({}), create: async () => ({}), get: async () => ({}) } as unknown as Client
  const network = createSimulatedNetwork(runtime)
  const agent = new NodeAgent(identity, { client, feed, clock, log: silentLogger, runtime, network, admission: [gate] })
  const stop = new AbortController()
  const done = agent.run(stop.signal)
  await clock.advance(10)
  const metadata = { name: 'early', namespace: 'default', uid: 'u' }
  follower.current?.pod({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'main', image: 'app' }] }, status: {} })
  await clock.advance(1000)
  assert.deepEqual(requested, [])
  follower.current?.node({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' }, status: { allocatable: { pods: '10' } } })
  await clock.advance(10)
  assert.deepEqual(requested, ['early on node-1'])
  stop.abort()
  await clock.advance(10)
  await done
})

test('the annotation for readiness holds back the probes of a simulated container, and nothing else', async () => {
  await using node = await openNode()
  const probe = { periodSeconds: 1, httpGet: { port: 80, path: '/' } }
  const annotations = { 'simulated.bowsprit.dev/ready-seconds': '5' }
  await node.create('probed', { containers: [{ name: 'main', image: 'app', readinessProbe: probe }] }, annotations)
  await node.create('plain', {}, annotations)
  const ready = async (name: string) => (await node.pod(name)).status?.containerStatuses?.[0]?.ready
  assert.deepEqual([await ready('probed'), await ready('plain')], [false, true])
  await node.clock.advance(6000)
  assert.equal(await ready('probed'), true)
})

test('a status that the API refuses does not end its pod', async () => {
  await using node = await openNode()
  await node.create('p')
  const expression = "object.status.phase != 'Running'"
  const policy = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name: 'no' } }
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods/status'] }
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] }
  const admission = { group: 'admissionregistration.k8s.io', version: 'v1' }
  await node.client.create({ ...admission, resource: 'validatingadmissionpolicies' }, { ...policy, spec })
  const binding = { ...policy, kind: 'ValidatingAdmissionPolicyBinding', spec: { policyName: 'no', validationActions: ['Deny'] } }
  await node.client.create({ ...admission, resource: 'validatingadmissionpolicybindings' }, binding)
  await node.clock.advance(5000)
  await node.create('q')
  await node.clock.advance(30_000)
  assert.deepEqual(await node.containers(), ['p/main#0:running', 'q/main#0:running'])
  await node.client.delete({ ...admission, resource: 'validatingadmissionpolicybindings', name: 'no' })
  await node.clock.advance(30_000)
  assert.equal((await node.pod('q')).status?.phase, 'Running')
})

test('a sandbox is reported before its containers have started, whether or not their image is present', async () => {
  await using node = await openNode()
  const stop = new AbortController()
  const reported: string[] = []
  const watching = (async () => {
    for await (const events of node.client.watch({ ...PODS, namespace: 'default' }, { signal: stop.signal }))
      for (const { type, object } of events) {
        if (type === 'BOOKMARK') continue
        const sandbox = object.status?.conditions?.find((c) => c.type === 'PodReadyToStartContainers')?.status
        if (sandbox !== undefined)
          reported.push(`${object.metadata.name} ${sandbox} ${object.status?.phase} ${object.status?.podIP ?? '-'}`)
      }
  })()
  await node.clock.advance(100)
  await node.create('first', { containers: [{ name: 'main', image: 'app:1' }] })
  await node.create('second', { containers: [{ name: 'main', image: 'app:1' }] })
  await node.create('never', { containers: [{ name: 'main', image: 'other:1', imagePullPolicy: 'Never' }] })
  await node.clock.advance(1000)
  stop.abort()
  await node.clock.advance(10)
  await watching
  assert.deepEqual(reported.slice(0, 3), ['first False Pending -', 'first True Pending -', 'first True Running 10.9.8.2'])
  const of = (name: string) => reported.filter((t) => t.startsWith(name))
  assert.deepEqual(of('second'), ['second False Pending -', 'second True Pending -', 'second True Running 10.9.8.3'])
  assert.deepEqual(of('never').slice(0, 2), ['never False Pending -', 'never True Pending -'])
})

test('the node is observed: cordoned, rebooted, new images', async () => {
  await using node = await openNode({ script: { ...defaultScript, image: (name) => ({ kind: 'found', sizeBytes: name.length }) } })
  const reported = async (what: string) => (await node.said('node-1')).filter((text) => text.includes(what))
  const cordon = (unschedulable: boolean) => node.client.patch({ ...NODES, name: 'node-1' }, 'merge', { spec: { unschedulable } })
  await cordon(true)
  await node.clock.advance(1000)
  await cordon(false)
  await node.clock.advance(1000)
  assert.deepEqual((await reported('NodeSchedulable')).slice(0, 1), ['NodeSchedulable: Node node-1 status is now: NodeSchedulable'])
  assert.deepEqual(await reported('NotSchedulable'), ['NodeNotSchedulable: Node node-1 status is now: NodeNotSchedulable'])

  await node.create('a', { containers: [{ name: 'c', image: 'nginx' }] })
  await node.create('b', { containers: [{ name: 'c', image: 'registry.example.com:5000/team/web:2' }] })
  await node.clock.advance(20_000)
  const { images } = (await node.client.get({ ...NODES, name: 'node-1' })).status ?? {}
  const shown = images?.map((i) => [i.names?.map((n) => n.replace(/[0-9a-f]{64}/, 'HEX')), i.sizeBytes])
  assert.deepEqual(shown, [
    [['registry.example.com:5000/team/web@sha256:HEX', 'registry.example.com:5000/team/web:2'], 36],
    [['docker.io/library/nginx@sha256:HEX', 'nginx:latest'], 'nginx:latest'.length],
  ])
  assert.equal((await node.pod('a')).status?.containerStatuses?.[0]?.imageID, images?.[1]?.names?.[0])

  await node.stop()
  await node.start()
  assert.deepEqual(await reported('Rebooted'), [])
  await node.stop()
  node.ids.bootId = 'another'
  await node.start()
  await node.clock.advance(1000)
  assert.deepEqual(await reported('Rebooted'), ['Rebooted: Node node-1 has been rebooted, boot id: another'])
  assert.equal((await node.client.get({ ...NODES, name: 'node-1' })).status?.nodeInfo?.bootID, 'another')
})

test('a container that has to wait long before it starts again shows that when the kubelet syncs it meanwhile', async () => {
  await using node = await openNode()
  await node.create('p', { containers: [{ name: 'main', image: 'fail' }] })
  const state = async () => (await node.pod('p')).status?.containerStatuses?.[0]
  for (let i = 0; i < 400 && ((await state())?.restartCount ?? 0) < 5; i++) await node.clock.advance(1000)
  await node.clock.advance(1000)
  assert.equal((await state())?.state?.terminated?.reason, 'Error')
  await node.clock.advance(75_000)
  const last = await state()
  assert.match(last?.state?.waiting?.message ?? '', /^back-off 2m40s restarting failed container=main pod=p_default\(/)
  assert.deepEqual([last?.state?.waiting?.reason, last?.lastState?.terminated?.exitCode, last?.restartCount], ['CrashLoopBackOff', 3, 5])
})

test('a resize of a pod that is deleted before its container has restarted stays in progress', async () => {
  await using node = await openNode({ script: { ...defaultScript, container: () => ({ onStop: { afterMs: 3000, exitCode: 0 } }) } })
  const resources = (cpu: string) => ({ requests: { cpu }, limits: { cpu } })
  const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }]
  await node.create('p', { containers: [{ name: 'main', image: 'app', resources: resources('100m'), resizePolicy }] })
  await node.clock.advance(1000)
  const target = { ...PODS, namespace: 'default', name: 'p' }
  const containers = [{ name: 'main', resources: resources('200m') }]
  await node.client.patch({ ...target, subresource: 'resize' }, 'strategic', { spec: { containers } })
  await node.clock.advance(1000)
  await node.client.delete(target)
  await node.clock.advance(4000)
  const { status } = await node.pod('p')
  assert.deepEqual([status?.phase, status?.containerStatuses?.[0]?.restartCount], ['Running', 1])
  assert.equal(status?.conditions?.find((c) => c.type === 'PodResizeInProgress')?.status, 'True')
})

test('containers whose back-offs end soon after each other start again in one sync, a quarter of the wait later', async () => {
  const ends = { early: { runMs: 100, exitCode: 1 }, late: { runMs: 1100, exitCode: 1 } }
  await using node = await openNode({
    script: { ...defaultScript, container: ({ spec }) => (spec.name === 'early' ? ends.early : ends.late) },
  })
  await node.create('p', {
    containers: [
      { name: 'early', image: 'app' },
      { name: 'late', image: 'app' },
    ],
  })
  await node.clock.advance(11_500)
  const restarts = async () => (await node.pod('p')).status?.containerStatuses?.map((c) => c.restartCount)
  assert.deepEqual(await restarts(), [1, 1])
  await node.clock.advance(3000)
  assert.deepEqual(await restarts(), [2, 2])
})

test('a sandbox that is made after a restart of the agent shows its address with its first container, not before', async () => {
  await using node = await openNode({
    script: { container: defaultScript.container, image: () => ({ kind: 'found', sizeBytes: 1, pullMs: 5000 }) },
  })
  await node.create('one', { containers: [{ name: 'main', image: 'app', imagePullPolicy: 'Always' }] })
  await node.clock.advance(6000)
  await node.stop()
  const signal = new AbortController().signal
  for (const { id } of await node.runtime.sandboxes({}, signal)) await node.runtime.stopSandbox(id, signal)
  await node.start()
  await node.clock.advance(1000)
  const { status } = await node.pod('one')
  assert.equal(status?.conditions?.find((c) => c.type === 'PodReadyToStartContainers')?.status, 'True')
  assert.equal(status?.podIP, undefined)
  await node.clock.advance(6000)
  assert.match((await node.pod('one')).status?.podIP ?? '', /^10\./)
})

test('a pod that is deleted while its deadline stops it is reported as of the stop first, then as of the deletion', async () => {
  await using node = await openNode({ script: { ...defaultScript, container: () => ({ onStop: { afterMs: 4000, exitCode: 0 } }) } })
  await node.create('one', { activeDeadlineSeconds: 3, terminationGracePeriodSeconds: 10 })
  const seen: string[] = []
  const watching = new AbortController()
  const watched = (async () => {
    for await (const events of node.client.watch({ ...PODS, namespace: 'default' }, { signal: watching.signal }))
      for (const { object } of events as readonly { readonly object: Pod }[])
        seen.push(`${object.status?.phase} ${object.status?.observedGeneration}`)
  })().catch(() => {})
  await node.clock.advance(4000)
  await node.client.delete({ ...PODS, namespace: 'default', name: 'one' })
  await node.clock.advance(8000)
  watching.abort()
  await watched
  assert.deepEqual([...new Set(seen)].slice(-3), ['Running 1', 'Failed 1', 'Failed 2'])
})
