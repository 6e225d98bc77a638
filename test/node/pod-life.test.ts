import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { KubeObject } from '../../src/machinery/object.ts'
import { defaultScript, type Script } from '../../src/node/runtime/simulated/behaviour.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { ContainerStatus, PodSpec, PodStatus } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { upstream } from '../upstream.ts'

const recording = path.join(upstream, 'node', 'pod-life.json')

interface Story {
  readonly statuses: readonly {
    readonly event: string
    readonly deletionTimestamp: boolean
    readonly grace: number | null
    readonly status: PodStatus
  }[]
  readonly events: readonly { readonly type: string; readonly reason: string; readonly message: string }[]
}

/** The pods of the recording, reconstructed from their statuses. */
const container = (name: string, image: string, more: object = {}) => ({ name, image, ...more })
const STORIES: Readonly<Record<string, { readonly spec: PodSpec; readonly deleteWith?: number }>> = {
  running: { spec: { containers: [container('main', 'app')] } },
  deleted: { spec: { containers: [container('main', 'app')] }, deleteWith: 1 },
  finished: { spec: { restartPolicy: 'Never', containers: [container('main', 'done')] } },
  failed: { spec: { restartPolicy: 'Never', containers: [container('main', 'fail')] } },
  crashing: { spec: { containers: [container('main', 'fail')] } },
  completing: { spec: { containers: [container('main', 'done')] } },
  'no-image': { spec: { containers: [container('main', 'missing-image:1')] } },
  'no-config': {
    spec: { containers: [container('main', 'app', { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'k' } } }] })] },
  },
  'no-volume': {
    spec: {
      containers: [container('main', 'app', { volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
      volumes: [{ name: 'v', configMap: { name: 'none' } }],
    },
  },
  'with-init': { spec: { initContainers: [container('i1', 'done'), container('i2', 'done2')], containers: [container('main', 'app')] } },
  'init-fails': { spec: { initContainers: [container('i1', 'fail')], containers: [container('main', 'app')] } },
  'with-sidecar': {
    spec: { initContainers: [container('s', 'app', { restartPolicy: 'Always' })], containers: [container('main', 'app')] },
  },
  'never-pull': { spec: { containers: [container('main', 'unknown:1', { imagePullPolicy: 'Never' })] } },
  'too-much': { spec: { containers: [container('main', 'app', { resources: { requests: { cpu: '99' } } })] } },
  'wrong-node': { spec: { nodeSelector: { no: 'such' }, containers: [container('main', 'app')] } },
  deadline: { spec: { activeDeadlineSeconds: 1, containers: [container('main', 'app')] } },
  'two-containers': { spec: { restartPolicy: 'Never', containers: [container('a', 'done'), container('b', 'app')] } },
}

/** The compared part of a status: phases, conditions, the states of containers. */
function essence(status: PodStatus, event: string, deleting: boolean): unknown {
  const containers = (list: readonly ContainerStatus[] | undefined) =>
    list?.map((c) => {
      const [kind = ''] = Object.keys(c.state ?? {})
      const { waiting, terminated } = c.state ?? {}
      const shown = waiting ?? terminated
      const said = {
        reason: shown?.reason,
        message: shown?.message?.replace(/\([0-9a-f-]{36}\)/, '(<uid>)'),
        exitCode: terminated?.exitCode,
      }
      return {
        name: c.name,
        image: c.image,
        state: kind,
        ...said,
        last: Object.keys(c.lastState ?? {}),
        ready: c.ready,
        started: c.started,
        restarts: c.restartCount,
      }
    })
  return JSON.parse(
    JSON.stringify({
      event,
      deleting,
      phase: status.phase,
      reason: status.reason,
      message: status.message?.replace(/capacity: \d+/, 'capacity: <its own>'),
      conditions: status.conditions?.map((c) => [c.type, c.status, c.reason, c.message]),
      containers: containers(status.containerStatuses),
      init: containers(status.initContainerStatuses),
      podIP: status.podIP !== undefined,
      fields: Object.keys(status).sort(),
    }),
  )
}

/** Removes steps that two runs of the real kubelet may show or skip, since it merges statuses. */
function distinct(steps: readonly unknown[]): unknown[] {
  return steps.filter((s, i) => i === 0 || JSON.stringify(s) !== JSON.stringify(steps[i - 1]))
}

async function live(client: Client, name: string, wanted: Story): Promise<{ readonly steps: unknown[]; readonly events: KubeObject[] }> {
  const story = STORIES[name]
  if (story === undefined) throw new Error(`no pod is known for the story ${name}`)
  const steps: unknown[] = []
  const stop = new AbortController()
  const target = { ...PODS, namespace: 'default' }
  const last = JSON.stringify(wantedSteps(name, wanted).at(-1))
  const done = (async () => {
    for await (const events of client.watch(target, { fieldSelector: `metadata.name=${name}`, signal: stop.signal })) {
      for (const { type, object } of events) {
        if (type === 'BOOKMARK') continue
        steps.push(essence(object.status ?? {}, type, object.metadata.deletionTimestamp !== undefined))
        const running = object.status?.phase === 'Running' && object.metadata.deletionTimestamp === undefined
        if (running && story.deleteWith !== undefined) await client.delete({ ...target, name }, { gracePeriodSeconds: story.deleteWith })
      }
      if (JSON.stringify(steps.at(-1)) === last) return
    }
  })()
  await client.create(target, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'node-1', ...story.spec },
  })
  await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 4000).unref())])
  await new Promise((resolve) => setTimeout(resolve, 50))
  stop.abort()
  const events = await client.list(
    { group: '', version: 'v1', resource: 'events', namespace: 'default' },
    { fieldSelector: `involvedObject.name=${name}` },
  )
  return { steps: distinct(steps), events: [...events.items] }
}

/** Stories that are cut before long waits: what follows the first back-off is covered by the planner's tests. */
const SHORT: Readonly<Record<string, number>> = { crashing: 5, completing: 4, 'init-fails': 4, 'no-image': 4 }

const wantedSteps = (name: string, story: Story) =>
  distinct(story.statuses.map((s) => essence(s.status, s.event, s.deletionTimestamp))).slice(0, SHORT[name])

/** The recorded steps in order; the real kubelet may have merged some that ours reports one by one. */
function assertInOrder(got: readonly unknown[], wanted: readonly unknown[]): void {
  const texts = got.map((g) => JSON.stringify(g))
  let from = 0
  for (const [i, step] of wanted.entries()) {
    const at = texts.indexOf(JSON.stringify(step), from)
    if (at < 0) assert.deepEqual(got.slice(from), wanted.slice(i))
    from = at + 1
  }
}

/** The recording's runtime reported no reasons for ends, and killed containers at once. */
const recordedScript: Script = {
  ...defaultScript,
  container(container) {
    // A real node has no events of containers that are simulated.
    const { remark: _, ...behaviour } = defaultScript.container(container)
    return { ...behaviour, reason: '', onStop: { exitCode: 137 } }
  },
}

test('the simulated node shows the life of pods as the real kubelet does', async (t) => {
  const stories = JSON.parse(readFileSync(recording, 'utf8')) as Record<string, Story>
  await using cluster = await startCluster({ nodes: 1, parts: ['server', 'controllers', 'nodes'] }, { script: recordedScript })
  const client = cluster.client()
  await waitFor(() => client.get({ group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'kube-root-ca.crt' }))
  await waitFor(() => client.get({ group: '', version: 'v1', resource: 'nodes', name: 'node-1' }))
  await Promise.all(
    Object.entries(stories).map(([name, story]) =>
      t.test(name, async () => {
        const { steps, events } = await live(client, name, story)
        assertInOrder(steps, wantedSteps(name, story))
        const text = (e: { type: string; reason: string; message: string }) =>
          `${e.type} ${e.reason}: ${e.message
            .replace(/\d+ms|\b0s\b/g, '<span>')
            .replace(/capacity: \d+/, 'capacity: <its own>')
            .replace(/\([0-9a-f-]{36}\)/, '(<uid>)')}`
        // This node has a cluster DNS address; the recorded one had none.
        const said = new Set(story.events.filter((e) => e.reason !== 'MissingClusterDNS').map(text))
        const got = new Set(events.map((e) => text(e as unknown as { type: string; reason: string; message: string })))
        assert.deepEqual([...got].sort(), [...said].sort())
      }),
    ),
  )
})
