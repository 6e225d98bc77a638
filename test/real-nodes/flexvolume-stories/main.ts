/** Plays recordings of FlexVolume drivers in namespaces of their own: `scripts/node-stories.ts` starts this file there. */
import { appendFileSync, chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeUser } from '../../../src/cluster/users.ts'
import { CORE_EVENTS, NODES, PODS, SECRETS } from '../../../src/resources/refs.ts'
import type { Pod } from '../../../src/resources/types/core.ts'
import { startCluster } from '../../../src/testing/start-cluster.ts'
import { waitFor } from '../../../src/testing/wait-for.ts'
import { findRuntime } from '../found-runtime.ts'
import { openMachine } from '../machine.ts'
import { isReady } from '../real-pods.ts'
import { startAgent } from '../start-agent.ts'
import { playStories } from '../stories/play-stories.ts'
import { scrub } from '../stories/scrub.ts'

interface DriverCall {
  readonly by: string
  readonly args: readonly (string | object)[]
  readonly answer: unknown
  readonly code: number
}

/** By command, what the driver does in place of its work; and its capabilities. */
type Answers = Readonly<Record<string, { readonly answer?: object } & object>>

interface FlexStory {
  readonly story: string
  readonly driver: Answers
  readonly steps: readonly {
    readonly do: string
    readonly what?: string
    readonly seconds?: number
    readonly object?: Pod
    readonly answers?: Answers
  }[]
  readonly calls: readonly DriverCall[]
  readonly events: readonly { readonly type: string; readonly reason: string; readonly message: string }[]
  readonly facts: readonly {
    readonly what: string
    readonly at?: number
    readonly command?: string
    readonly stdout?: string
    readonly code?: number
  }[]
  readonly 'status at the end': readonly { readonly status: { readonly phase?: string } }[]
}

const [folder = '', recordings = '', report = '', ...names] = process.argv.slice(2)
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const place = { namespace: 'default' }
const CALLERS = { kubelet: path.join(folder, 'flex-kubelet'), 'kube-controller-manager': path.join(folder, 'flex-controllers') }
await using machine = await openMachine(folder, found)
await using cluster = await startCluster({
  nodes: 0,
  kubeletConfig: {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    volumePluginDir: CALLERS['kube-controller-manager'],
  },
})
const client = cluster.client()
await using _agent = startAgent({
  machine,
  folder,
  client: cluster.client(nodeUser('node-1')),
  networkClient: client,
  name: 'node-1',
  ips: ['192.0.2.11'],
  settings: { volumePluginDir: CALLERS.kubelet, clusterDNS: ['10.0.0.10'] },
})
await waitFor(() => client.get({ ...NODES, name: 'node-1' }).then(isReady, () => false), { timeoutMs: 60_000 })

/** Puts the driver where both its callers find it, each with a copy of its own. */
function install(driver: string, answers: Answers): void {
  for (const [by, at] of Object.entries(CALLERS)) {
    const own = path.join(at, `example.com~${driver}`)
    mkdirSync(own, { recursive: true })
    writeFileSync(path.join(own, 'by'), by)
    writeFileSync(path.join(own, 'answers.json'), JSON.stringify(answers))
    copyFileSync(path.join(import.meta.dirname, 'driver.mjs'), path.join(own, 'driver.mjs'))
    const program = path.join(own, driver)
    if (existsSync(program)) continue
    appendFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${own}/driver.mjs "$@"\n`)
    chmodSync(program, 0o755)
  }
}

const callsOf = (driver: string): readonly DriverCall[] =>
  Object.values(CALLERS).flatMap((at) => {
    const file = path.join(at, `example.com~${driver}`, 'calls')
    return existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : []
  })

/** What the recorded machine was too slow to meet is not played: no call has that answer. */
function met(answers: Answers, calls: readonly DriverCall[]): Answers {
  const isMet = (command: string, answer: object) =>
    calls.some((call) => call.args[0] === command && JSON.stringify(call.answer) === JSON.stringify(answer))
  return Object.fromEntries(Object.entries(answers).filter(([command, { answer }]) => answer === undefined || isMet(command, answer)))
}

async function play(story: FlexStory) {
  const driver = story.story
  const named = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('<driver>', driver))
  install(driver, met(story.driver, story.calls))
  const secret = { name: 'flexsecret', ...place }
  await client.delete({ ...SECRETS, ...secret }).catch(() => {})
  await client.create(
    { ...SECRETS, ...place },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'flexsecret' }, type: `example.com/${driver}`, data: { user: 'dQ==' } },
  )
  const pod = named(story.steps.find((step) => step.do === 'pod')?.object as Pod)
  const name = pod.metadata.name ?? ''
  const target = { ...PODS, ...place, name }
  const facts = []
  for (const step of story.steps) {
    const seconds = step.seconds ?? 0
    if (step.do === 'pod') await client.create({ ...PODS, ...place }, { ...pod, apiVersion: 'v1' })
    if (step.do === 'answers') install(driver, met(step.answers ?? {}, story.calls))
    if (step.do === 'delete') await client.delete(target)
    if (step.do === 'wait') await sleep(seconds * 1000)
    if (step.do === 'until') await until(name, step.what === 'gone', seconds)
    if (step.do === 'until' && step.what === 'ready') facts.push(...(await factsOf(story, name)))
  }
  const events = (await client.list({ ...CORE_EVENTS, ...place })).items.filter((e) => e.involvedObject.name === name)
  // Drivers work again before all is taken away.
  const { capabilities } = story.driver
  install(driver, { ...(capabilities && { capabilities }) })
  await sleep(2000)
  await client.delete(target).catch(() => {})
  await until(name, true, 20)
  await waitFor(() => callsOf(driver).filter((c) => /^unmount/.test(String(c.args[0]))).length > 0, { timeoutMs: 8000 }).catch(() => {})
  // What follows a deletion: devices, and the other end.
  await sleep(3000)
  const isRecorded = (call: DriverCall) => call.args[0] !== 'detach' || !endsAttached(story)
  const played = { calls: callsOf(driver).filter(isRecorded), events, facts }
  for (const at of Object.values(CALLERS)) rmSync(path.join(at, `example.com~${driver}`), { recursive: true, force: true })
  return rowsOf(
    JSON.parse(
      JSON.stringify(played)
        .replaceAll(`example.com/${driver}`, 'example.com/<driver>')
        .replaceAll(`example.com~${driver}`, 'example.com~<driver>'),
    ),
  )
}

async function until(name: string, gone: boolean, seconds: number): Promise<void> {
  const look = async () => {
    const pod = await client.get({ ...PODS, ...place, name }).catch(() => undefined)
    return gone ? pod === undefined : isReady(pod)
  }
  await waitFor(look, { timeoutMs: seconds * 1000 }).catch(() => {})
}

async function factsOf({ facts }: FlexStory, name: string): Promise<FlexStory['facts']> {
  const { status } = await client.get({ ...PODS, ...place, name })
  const id = status?.containerStatuses?.[0]?.containerID?.replace(/^\w+:\/\//, '') ?? ''
  const answers = facts.flatMap((fact) => (fact.command === undefined ? [] : [{ ...fact, command: fact.command }]))
  return Promise.all(answers.map(async (fact) => ({ ...fact, ...(await machine.execIn(id, fact.command)) })))
}

/**
 * `isattached` is asked each minute, whatever happens. The events of the container and the scheduler are another recording's, and volumes
 * of other stories are in the facts about the node.
 */
const isCompared = ({ args }: DriverCall) => args[0] !== 'isattached'
const OTHERS = new Set(['Scheduled', 'Pulled', 'Created', 'Started', 'Killing'])

/** The calls of each caller in their order, each kind once: how often a call is made again depends on times. */
const rowsOf = ({ calls, events, facts }: Pick<FlexStory, 'calls' | 'events' | 'facts'>): readonly unknown[] => {
  const rows = Object.keys(CALLERS).flatMap((by) =>
    calls.filter((call) => call.by === by && isCompared(call)).map(({ args, answer, code }) => ({ by, args, answer, code })),
  )
  const others = events.filter((e) => !OTHERS.has(e.reason)).map(({ type, reason, message }) => ({ type, reason, message }))
  const seen = facts.filter((f) => f.command !== undefined).map(({ what, stdout, code }) => ({ what, stdout: stdout?.trim(), code }))
  const all = [...rows, ...others.toSorted((a, b) => (a.message < b.message ? -1 : 1)), ...seen].map((row) => JSON.stringify(scrub(row)))
  return [...new Set(all)].map((text) => JSON.parse(text))
}

/** The recording ended before the volume was detached. */
const endsAttached = ({ calls }: FlexStory) => calls.every(({ args }) => args[0] !== 'detach')

/** A recording that ended while its pod was starting, and nothing had failed, says nothing of what follows. */
const isCutShort = ({ events, 'status at the end': ends }: FlexStory) => ends.at(-1)?.status.phase === 'Pending' && events.length === 0

await playStories<FlexStory>({ recordings, report, names, wanted: rowsOf, play, isCutShort })
// The runtime goes with this process.
process.exit(0)
