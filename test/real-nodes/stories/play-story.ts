import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject, KubeObject } from '../../../src/machinery/object.ts'
import { isStatus } from '../../../src/machinery/status-error.ts'
import { CONFIG_MAPS, CORE_EVENTS, PODS, RUNTIME_CLASSES, SECRETS } from '../../../src/resources/refs.ts'
import type { PodStatus } from '../../../src/resources/types/core.ts'
import type { Client } from '../../../src/sdk/client/client.ts'
import { waitFor } from '../../../src/testing/wait-for.ts'
import type { TestMachine } from '../machine.ts'
import { isReady } from '../real-pods.ts'
import { rebootMachine } from '../reboot-machine.ts'
import type { CallLog } from './call-log.ts'
import { findOut } from './find-out.ts'
import type { Played, Story, StoryFact, StoryObject, StoryStep } from './story.ts'

export interface PlayDeps {
  readonly client: Client
  readonly agent: StoppableAgent
  readonly machine: TestMachine
  readonly log: CallLog
  readonly nodeName: string
  readonly kubeconfig: string
  /** For files of the machine. */
  readonly folder: string
}

/** The agent of the node, in the kubelet's place. */
export interface StoppableAgent {
  start(): void
  stop(): Promise<void>
}

const COLLECTIONS = { Pod: PODS, ConfigMap: CONFIG_MAPS, Secret: SECRETS, RuntimeClass: RUNTIME_CLASSES } as const
const place = { namespace: 'default' }

/** Why a story cannot be played here. */
export function unplayable({ objects }: Story): string | undefined {
  return objects.some((o) => o.kind === 'Pod') ? undefined : 'without a pod'
}

const isForMachine = (moment: StoryStep | StoryFact): boolean => 'do' in moment && /containerd|kubelet|reboot/.test(String(moment.do))

/** Whether all pods of the machine notice what is done in it. */
export const isForAll = ({ steps }: Story): boolean => steps.some(isForMachine)

/** Does what was done when the story was recorded, at its times, and writes down the same. */
export async function playStory(story: Story, deps: PlayDeps): Promise<Played> {
  const { client, log } = deps
  const pods = story.objects.filter((o) => o.kind === 'Pod').map((o) => o.metadata.name)
  let startedMs = performance.now()
  const since = () => (performance.now() - startedMs) / 1000
  const until = async (seconds: number) => sleep(Math.max(0, (seconds - since()) * 1000))
  const stop = new AbortController()
  const statuses: Played['statuses'][number][] = []
  const watching = pods.map((of) =>
    watchStatuses(client, of, (event, status) => statuses.push({ of, at: since(), event, status }), stop.signal),
  )
  for (const command of story.before ?? []) execFileSync('sh', ['-c', command])
  const uids = new Map<string, string>()
  const create = async (object: StoryObject) => {
    const made = await createObject(client, object, deps.nodeName)
    if (object.kind === 'Pod') uids.set(object.metadata.name, made.metadata.uid ?? '')
  }
  const named = story.steps.some((step) => step.pod !== undefined)
  for (const object of story.objects) if (!named || object.kind !== 'Pod') await create(object)
  const facts: StoryFact[] = []
  const moments = [...story.steps.slice(named ? 0 : 1), ...story.facts.filter((f) => f.at !== undefined)].toSorted((a, b) => a.at - b.at)
  for (const moment of moments) {
    await until(moment.at)
    const name = String('pod' in moment && moment.pod ? moment.pod : pods[0])
    const waitedFromMs = performance.now()
    for (const each of isForMachine(moment) ? uids.keys() : [name])
      await caughtUp(each, { wanted: story.statuses, got: statuses, at: moment.at })
    // On a slower machine the rest of the story is later.
    startedMs += performance.now() - waitedFromMs
    if (!('do' in moment)) facts.push(await findOut(moment as StoryFact, { ...deps, name, uid: uids.get(name) ?? '' }))
    else if (/^create (the|a) pod/.test(String(moment.do))) {
      const object = story.objects.find(
        (o) => o.kind === 'Pod' && (moment.pod === undefined ? !uids.has(o.metadata.name) : o.metadata.name === name),
      )
      if (object !== undefined) await create(object)
    } else await doStep(moment as StoryStep, name, deps)
  }
  await until(Math.max(...[...story.statuses, ...story.calls].map(({ at }) => at)))
  if (story.steps.some((s) => s.do === 'delete')) await gone(client, pods[0] ?? '')
  // What was deleted by force is stopped after its object has gone.
  await sleep(3000)
  stop.abort()
  await Promise.all(watching)
  for (const object of story.objects) await removeObject(client, object)
  const calls = [...uids.values()].flatMap((uid) => log.callsOf(uid))
  const events = await Promise.all([...uids.values()].map((uid) => eventsOf(client, uid)))
  return { calls, statuses, facts, events: events.flat() }
}

interface Progress {
  readonly wanted: Story['statuses']
  readonly got: Played['statuses']
  /** When it is looked at, in the recording's seconds. */
  readonly at: number
}

/** How long a pod may take to be as far as the recorded one. */
const CATCH_UP_MS = 15_000

/** Waits until a pod is as far as the recorded one was at that time. */
async function caughtUp(name: string, { wanted, got, at }: Progress): Promise<void> {
  const recorded = wanted.findLast((one) => (one.of ?? name) === name && one.at < at)
  if (recorded === undefined) return
  const isThere = () => {
    const now = got.findLast(({ of }) => of === name)
    return now !== undefined && progressOf(now.status) === progressOf(recorded.status)
  }
  await waitFor(isThere, { timeoutMs: CATCH_UP_MS }).catch(() => {})
}

/** The phase, and what each container does. */
const progressOf = ({ phase, containerStatuses = [] }: PodStatus): string =>
  JSON.stringify([phase, containerStatuses.map(({ name, state, restartCount }) => [name, Object.keys(state ?? {}), restartCount])])

const gone = (client: Client, name: string) =>
  waitFor(
    () =>
      client.get({ ...PODS, ...place, name }).then(
        () => false,
        (e) => isStatus(e, 'NotFound'),
      ),
    { timeoutMs: 60_000 },
  )

async function createObject(client: Client, object: StoryObject, nodeName: string): Promise<KubeObject> {
  const ref = COLLECTIONS[object.kind as keyof typeof COLLECTIONS]
  const body = object.kind === 'Pod' ? { ...object, spec: { ...object.spec, nodeName } } : object
  return client.create<KubeObject>({ ...ref, ...(object.kind !== 'RuntimeClass' && place) }, {
    apiVersion: object.kind === 'RuntimeClass' ? 'node.k8s.io/v1' : 'v1',
    ...body,
  } as KubeObject)
}

async function removeObject(client: Client, { kind, metadata: { name } }: StoryObject): Promise<void> {
  const ref = COLLECTIONS[kind as keyof typeof COLLECTIONS]
  await client.delete({ ...ref, ...(kind !== 'RuntimeClass' && place), name }, { gracePeriodSeconds: 0 }).catch(() => {})
}

async function doStep(step: StoryStep, name: string, deps: PlayDeps): Promise<void> {
  const { client, log, machine, nodeName } = deps
  const pod = { ...PODS, ...place, name }
  switch (step.do) {
    case 'delete':
      await client.delete(pod, typeof step.grace === 'number' ? { gracePeriodSeconds: step.grace } : {})
      return
    case 'patch':
      await client.patch({ ...pod, subresource: String(step.sub) }, 'strategic', step.patch as JsonObject)
      return
    case 'change':
      await client.patch({ ...CONFIG_MAPS, ...place, name: String(step.name) }, 'merge', step.patch as JsonObject)
      return
    case 'create':
      await createObject(client, step.object as StoryObject, nodeName)
      return
    case 'kill': {
      const { uid = '' } = (await client.get(pod)).metadata
      const id = step.container === null ? log.sandboxOf(uid) : log.containerOf(uid, String(step.container))
      machine.ctr('tasks', 'kill', '--signal', 'SIGKILL', id ?? '')
      return
    }
    case 'until ready':
    case 'until':
      if (step.do === 'until ready' || step.cond === 'ready')
        await waitFor(async () => isReady(await client.get(pod)), { timeoutMs: 60_000 })
      return
    default:
      return isForMachine(step) ? doToMachine(step.do, deps) : undefined
  }
}

/** `containerd is killed`, `kubelet starts`, `kubelet restarts`, `the node reboots`. */
async function doToMachine(what: string, { agent, machine, folder }: PlayDeps): Promise<void> {
  if (/reboot/.test(what)) {
    await agent.stop()
    await rebootMachine(machine, folder)
    return agent.start()
  }
  const ofAgent = /kubelet/.test(what)
  if (/kill|stop|restart/.test(what)) await (ofAgent ? agent.stop() : machine.stopContainerd())
  if (/start/.test(what)) await (ofAgent ? agent.start() : machine.startContainerd())
}

async function watchStatuses(
  client: Client,
  name: string,
  tell: (event: string, status: JsonObject) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const batch of client.watch({ ...PODS, ...place }, { fieldSelector: `metadata.name=${name}`, signal }))
      for (const event of batch) if (event.type !== 'BOOKMARK') tell(event.type, (event.object.status ?? {}) as unknown as JsonObject)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function eventsOf(client: Client, uid: string): Promise<Played['events']> {
  const { items } = await client.list({ ...CORE_EVENTS, ...place })
  return items
    .filter((e) => e.involvedObject.uid === uid)
    .map(({ type = '', reason = '', message = '', involvedObject: { fieldPath } }) => ({
      type,
      reason,
      message,
      ...(fieldPath && { fieldPath }),
    }))
}
