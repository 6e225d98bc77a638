import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { defaultScript, type Script } from '../../src/node/runtime/simulated/behaviour.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Client, ResourceRef } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { upstream } from '../upstream.ts'

const recording = path.join(upstream, 'controllers', 'behaviours.json')

interface RecordedEventCount {
  readonly on: string
  readonly type: string | undefined
  readonly reason: string | undefined
  readonly message: string | undefined
  readonly from: string | undefined
}

interface Step {
  readonly create?: KubeObject | readonly KubeObject[]
  readonly wait?: number
  readonly kubectl?: string
  readonly objects?: readonly Compared[]
  readonly events?: readonly RecordedEventCount[]
}

interface Story {
  readonly name: string
  readonly steps: readonly Step[]
}

/** Stories that are not played, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'autoscaler without metrics': 'there is no autoscaler',
  'cron job': 'it lasts more than a minute: the plan is tested by a table',
  'a new namespace': 'shown by the other stories',
}

const KINDS: Readonly<Record<string, ResourceRef>> = {
  Deployment: refs.DEPLOYMENTS,
  ReplicaSet: refs.REPLICA_SETS,
  ReplicationController: refs.REPLICATION_CONTROLLERS,
  StatefulSet: refs.STATEFUL_SETS,
  DaemonSet: refs.DAEMON_SETS,
  ControllerRevision: refs.CONTROLLER_REVISIONS,
  Job: refs.JOBS,
  CronJob: refs.CRON_JOBS,
  Pod: refs.PODS,
  Service: refs.SERVICES,
  EndpointSlice: refs.ENDPOINT_SLICES,
  Endpoints: refs.ENDPOINTS,
  PodDisruptionBudget: refs.POD_DISRUPTION_BUDGETS,
  ResourceQuota: refs.RESOURCE_QUOTAS,
  PersistentVolumeClaim: refs.PERSISTENT_VOLUME_CLAIMS,
}

/** Removes random suffixes, times, and the order of a rollout's steps. */
function plain(text: string): string {
  return text
    .replace(
      /\b(d|r|j|k|s|rc|svc|head|c)(-\d)?-[bcdfghjklmnpqrstvwxz2456789]{8,10}-(<suffix>|[bcdfghjklmnpqrstvwxz2456789]{5})\b/g,
      '$1-<hash>-<suffix>',
    )
    .replace(/\b(d|s)-[bcdfghjklmnpqrstvwxz2456789]{8,10}\b/g, '$1-<hash>')
    .replace(/\b(d|r|j|j-0|j-1|k|rc|s)-([bcdfghjklmnpqrstvwxz2456789]{5}|\d)\b/g, '$1-<suffix>')
    .replace(/<suffix>-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '<suffix>-<suffix>')
    .replace(/"[bcdfghjklmnpqrstvwxz2456789]{8,10}"/g, '"<hash>"')
    .replace(/\{ns\}|story-\d+/g, '<ns>')
}

/** Status fields that differ from run to run, or are compared separately. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['conditions', 'startTime', 'completionTime', 'lastScheduleTime', 'lastSuccessfulTime'])

/** The fields of all kinds that are compared. */
type Compared = KubeObject<{ replicas?: number; hostname?: string }, { phase?: string; conditions?: readonly JsonObject[] }> & {
  readonly endpoints?: readonly JsonObject[]
  readonly subsets?: readonly { readonly addresses?: readonly object[]; readonly ports?: readonly object[] }[]
  readonly revision?: number
}

/** The compared part of an object. */
function essence(object: Compared): string {
  const { labels, annotations, ownerReferences, finalizers, generateName } = object.metadata
  const given = generateName !== undefined && object.kind !== 'Pod' ? true : /-\d-$/.test(generateName ?? '')
  const name = given ? `${generateName}<suffix>` : object.metadata.name
  const owners = (ownerReferences ?? []).map((r) => [r.kind, r.name, r.controller, r.blockOwnerDeletion])
  const { conditions: own = [], phase } = object.status ?? {}
  const conditions = own.map((c) => [c.type, c.status, c.reason, c.message]).sort()
  const status = Object.fromEntries(Object.entries(object.status ?? {}).filter(([field]) => !NOT_COMPARED.has(field)))
  const times = (a: Record<string, string> | undefined) =>
    Object.fromEntries(Object.entries(a ?? {}).map(([k, v]) => [k, k.endsWith('time') || k.endsWith('timestamp') ? '<time>' : v]))
  const isPod = object.kind === 'Pod'
  const said = {
    kind: object.kind,
    name,
    labels: { ...labels },
    annotations: times(annotations),
    owners,
    replicas: object.spec?.replicas,
    status: isPod ? { phase } : status,
    conditions: isPod ? [] : conditions,
    hostname: isPod ? (object.spec?.hostname ?? undefined) : undefined,
    finalizers: isPod ? undefined : finalizers,
    endpoints: (object.endpoints ?? []).map((e) => e.conditions),
    subsets: (object.subsets ?? []).map((s) => [s.addresses?.length, s.ports ?? null]),
    revision: object.revision,
  }
  return plain(JSON.stringify(sorted(said))).replace(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"<uid>"')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([, v]) => v !== undefined)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, sorted(v)]))
}

const refOf = (kind: string): ResourceRef => {
  const ref = KINDS[kind]
  if (ref === undefined) throw new Error(`the stories speak of a new kind: ${kind}`)
  return ref
}

/** Containers run until their image's name says otherwise, those of Jobs too. */
const RUNS_ON: Script = {
  ...defaultScript,
  container: (c) => defaultScript.container({ ...c, sandbox: { ...c.sandbox, labels: {} } }),
}

test('controllers do what Kubernetes does', { timeout: 120_000 }, async (t) => {
  const stories: readonly Story[] = JSON.parse(readFileSync(recording, 'utf8'))
  await using cluster = await startCluster({ nodes: 1 }, { script: RUNS_ON })
  const reported = stories.map((story, i) => ({ story, done: story.name in LEFT_OUT ? undefined : notify(cluster, story, `story-${i}`) }))
  for (const { done } of reported) done?.catch(() => {})
  for (const { story, done } of reported) await t.test(story.name, { skip: LEFT_OUT[story.name] ?? false }, () => done)
})

async function notify(cluster: Cluster, story: Story, namespace: string): Promise<void> {
  const client = cluster.client()
  await client.create(refs.NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  await eventually(4, async () => void (await client.get({ ...refs.SERVICE_ACCOUNTS, namespace, name: 'default' })))
  let patience = 2
  let fleeting: Step | undefined
  for (const step of story.steps) {
    if (step.create !== undefined)
      for (const object of [step.create].flat() as KubeObject[]) {
        // An object of that name may still be terminating.
        await eventually(4, async () => void (await client.create({ ...refOf(object.kind), namespace }, object)))
      }
    if (step.wait !== undefined) {
      patience = step.wait + 4
      const next = story.steps[story.steps.indexOf(step) + 1]
      // Short-lived states depend on speed.
      if (step.wait < 0.5) fleeting = next
      if (next?.objects === undefined) await pause(Math.min(step.wait, 3))
    }
    if (step.kubectl !== undefined) await run(client, namespace, step.kubectl)
    if (step.objects !== undefined && step !== fleeting)
      await eventually(patience, () => compareObjects(client, namespace, step.objects ?? []))
    if (step.events !== undefined) await eventually(patience, () => compareEvents(client, namespace, step.events ?? []))
  }
}

async function compareObjects(client: Client, namespace: string, wanted: readonly Compared[]): Promise<void> {
  const kinds = [...new Set(wanted.map((o) => o.kind))].filter((kind) => kind in KINDS)
  for (const kind of kinds) {
    const list = await client.list<Compared>({ ...refOf(kind), namespace })
    const seen = list.items.filter((o) => o.metadata.name !== 'kube-root-ca.crt').map((o) => essence({ ...o, kind, apiVersion: '' }))
    assert.deepEqual(
      seen.sort(),
      wanted
        .filter((o) => o.kind === kind)
        .map(essence)
        .sort(),
      kind,
    )
  }
}

/** Compares events without their counts, which depend on speed. */
async function compareEvents(client: Client, namespace: string, wanted: readonly RecordedEventCount[]): Promise<void> {
  const lines = (list: readonly RecordedEventCount[]) =>
    [...new Set(list.map((e) => plain(`${e.on} ${e.type} ${e.reason} ${e.message} ${e.from}`)))]
      .filter((l) => !/combined from similar/.test(l))
      .sort()
  const list = await client.list({ ...refs.CORE_EVENTS, namespace })
  const seen = list.items.map((e) => ({
    on: `${e.involvedObject.kind}/${e.involvedObject.name}`,
    type: e.type,
    reason: e.reason,
    message: e.message,
    from: e.source?.component || e.reportingComponent,
  }))
  const about = seen.filter((e) => !e.on.startsWith('Pod/') && !e.on.startsWith('Node/'))
  assert.deepEqual(lines(about), lines(wanted))
}

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

async function eventually(seconds: number, check: () => Promise<void>): Promise<void> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(0.1)
    }
  }
}

const SHORT: Readonly<Record<string, string>> = {
  deploy: 'Deployment',
  sts: 'StatefulSet',
  ds: 'DaemonSet',
  rs: 'ReplicaSet',
  job: 'Job',
  pods: 'Pod',
  pvc: 'PersistentVolumeClaim',
}

/** Runs a command of a story by the client. */
async function run(client: Client, namespace: string, command: string): Promise<void> {
  const [verb, ...rest] = command.split(' ')
  const words = rest.filter((w) => !w.startsWith('-'))
  const flag = (name: string) => rest.find((w) => w.startsWith(`--${name}=`))?.split('=')[1]
  const target = (type = '', name = '') => {
    const [kind = '', inline] = type.split('/')
    return { ...refOf(SHORT[kind] ?? kind), namespace, name: inline ?? name }
  }
  if (verb === 'scale') await client.patch(target(words[0], words[1]), 'merge', { spec: { replicas: Number(flag('replicas')) } })
  else if (verb === 'set') {
    const [name = '', image = ''] = (words[2] ?? '').split('=')
    await client.patch(target(words[1]), 'strategic', { spec: { template: { spec: { containers: [{ name, image }] } } } })
  } else if (verb === 'patch') await client.patch(target(words[0], words[1]), 'strategic', JSON.parse(command.slice(command.indexOf('{'))))
  else if (verb === 'rollout' && words[0] === 'resume') await client.patch(target(words[1]), 'merge', { spec: { paused: null } })
  else if (verb === 'rollout' && words[0] === 'undo') await undo(client, target(words[1]))
  else if (verb === 'label') {
    const [key = '', value = ''] = (words.find((w) => w.includes('=')) ?? '').split('=')
    for (const pod of (await client.list({ ...refs.PODS, namespace })).items)
      await client.patch({ ...refs.PODS, namespace, name: pod.metadata.name ?? '' }, 'merge', { metadata: { labels: { [key]: value } } })
  } else if (verb === 'annotate') {
    const [key = '', value = ''] = (words.find((w) => w.includes('=')) ?? '').split('=')
    await client.patch(target(words[0], words[1]), 'merge', { metadata: { annotations: { [key]: value } } })
  } else if (verb === 'delete') {
    const cascade = flag('cascade')
    const propagationPolicy = cascade === 'orphan' ? 'Orphan' : cascade === 'foreground' ? 'Foreground' : 'Background'
    if (words.length > 1 || words[0]?.includes('/')) await client.delete(target(words[0], words[1]), { propagationPolicy })
  }
}

/** Restores the template of the previous revision. */
async function undo(client: Client, target: ReturnType<typeof Object> & { namespace: string; name: string }): Promise<void> {
  const sets = (await client.list({ ...refs.REPLICA_SETS, namespace: target.namespace })).items
  const revision = (o: KubeObject) => Number(o.metadata.annotations?.['deployment.kubernetes.io/revision'])
  const before = sets.toSorted((a, b) => revision(b) - revision(a))[1]
  const template = structuredClone(before?.spec?.template)
  delete template?.metadata?.labels?.['pod-template-hash']
  await client.patch({ ...refs.DEPLOYMENTS, ...target }, 'json', [{ op: 'replace', path: '/spec/template', value: template }])
}
