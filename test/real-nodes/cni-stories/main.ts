/** Plays recordings of network plugins in namespaces of their own: `scripts/node-stories.ts` starts this file there. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeUser } from '../../../src/cluster/users.ts'
import { CORE_EVENTS, NODES, PODS } from '../../../src/resources/refs.ts'
import type { Pod } from '../../../src/resources/types/core.ts'
import { startCluster } from '../../../src/testing/start-cluster.ts'
import { waitFor } from '../../../src/testing/wait-for.ts'
import { findRuntime } from '../found-runtime.ts'
import { runInPod, runOnNode } from '../in-pod.ts'
import { openMachine } from '../machine.ts'
import { openOutside } from '../outside.ts'
import { withOwnProgram } from '../own-program.ts'
import { isReady } from '../real-pods.ts'
import { startAgent } from '../start-agent.ts'
import { playStories } from '../stories/play-stories.ts'
import { scrub } from '../stories/scrub.ts'

interface PluginCall {
  readonly at?: number
  readonly plugin: string
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: unknown
  readonly stdout?: unknown
  readonly code?: number
  readonly fault?: string
}

interface Fact {
  readonly at: number
  readonly what: string
  readonly on?: string
  readonly pod?: string
  readonly command?: string
  readonly stdout?: string
  readonly code?: number
  readonly answer?: boolean
  readonly conditions?: readonly object[]
  readonly taints?: readonly { readonly key: string; readonly effect: string }[] | null
}

interface CniStory {
  readonly story: string
  readonly configuration: unknown
  readonly steps: readonly {
    readonly at: number
    readonly do: string
    readonly what?: string
    readonly name?: string
    readonly seconds?: number
    readonly object?: Pod
    readonly list?: unknown
    readonly faults?: object
  }[]
  readonly calls: readonly PluginCall[]
  readonly events: readonly { readonly of: string; readonly type: string; readonly reason: string; readonly message: string }[]
  readonly facts: readonly Fact[]
}

const [folder = '', recordings = '', report = '', ...names] = process.argv.slice(2)
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const place = { namespace: 'default' }
const NODE = 'node-2'
const plugins = path.join(folder, 'cnibin')
mkdirSync(plugins)
copyFileSync(path.join(import.meta.dirname, 'plugin.mjs'), path.join(plugins, 'plugin.mjs'))
writeFileSync(path.join(plugins, 'real'), found.cni)
writeFileSync(path.join(plugins, 'faults.json'), '{}')
for (const name of ['bridge', 'host-local', 'portmap', 'bandwidth', 'loopback']) {
  const program = path.join(plugins, name)
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${plugins}/plugin.mjs ${name}\n`)
  chmodSync(program, 0o755)
}
await using machine = await openMachine(folder, { ...found, cni: plugins })
const outside = await openOutside()
// Beside the recorded node there was another one, which was well all the time.
await using cluster = await startCluster({ nodes: 1 })
const client = cluster.client()
await using _agent = startAgent({
  machine,
  folder,
  client: cluster.client(nodeUser(NODE)),
  networkClient: client,
  name: NODE,
  ips: ['192.0.2.11'],
  settings: { clusterDNS: ['10.0.0.10'] },
})

const list = path.join(machine.cniFolder, '10-test.conflist')
function configure(given: unknown): void {
  if (given === null) rmSync(list, { force: true })
  else writeFileSync(list, typeof given === 'string' ? given : JSON.stringify(given))
}

/** The recorded node had the next address. */
const addressedHere = (text: string) => text.replaceAll('192.0.2.12', '192.0.2.11').replaceAll('fd00:2::12', 'fd00:2::11')

const withOwnAddress = (pod: Pod): Pod => withOwnProgram(JSON.parse(addressedHere(JSON.stringify(pod))))

const podNamed = (name: string) => client.get({ ...PODS, ...place, name }).catch(() => undefined)
const soon = (look: () => Promise<boolean>, seconds: number) => waitFor(look, { timeoutMs: seconds * 1000 }).catch(() => {})
const log = path.join(plugins, 'calls')
const calls = (): readonly PluginCall[] =>
  (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []).map((line) => JSON.parse(line))
const hasFault = ({ fault }: PluginCall) => fault !== undefined
const nodeReady = async () => isReady(await client.get({ ...NODES, name: NODE }))

async function play(story: CniStory) {
  configure(story.configuration)
  await soon(nodeReady, 60)
  rmSync(log, { force: true })
  const made: string[] = []
  const facts: Fact[] = []
  const moments = [...story.steps, ...story.facts].toSorted((a, b) => a.at - b.at)
  for (const moment of moments) {
    if (!('do' in moment)) {
      facts.push(await findOut(moment, made[0] ?? ''))
      continue
    }
    const { name = made[0] ?? '', seconds = 0 } = moment
    if (moment.do === 'make' && moment.object !== undefined) {
      made.push(moment.object.metadata.name ?? '')
      await client.create({ ...PODS, ...place }, { ...withOwnAddress(moment.object), apiVersion: 'v1' })
    }
    if (moment.do === 'delete') await client.delete({ ...PODS, ...place, name })
    if (moment.do === 'wait') await sleep(seconds * 1000)
    if (moment.do === 'configuration') configure(moment.list)
    // A slower machine meets the faults later.
    if (story.calls.some((call) => hasFault(call) && (call.at ?? 0) < moment.at)) await soon(async () => calls().some(hasFault), 20)
    if (moment.do === 'faults') writeFileSync(path.join(plugins, 'faults.json'), JSON.stringify(moment.faults))
    if (moment.do === 'until')
      await soon(async () => {
        const pod = await podNamed(name)
        return moment.what === 'gone' ? pod === undefined : pod !== undefined && isReady(pod)
      }, seconds)
  }
  writeFileSync(path.join(plugins, 'faults.json'), '{}')
  for (const name of made) await client.delete({ ...PODS, ...place, name }).catch(() => {})
  await soon(async () => (await client.list({ ...PODS, ...place })).items.length === 0, 60)
  const { items } = await client.list({ ...CORE_EVENTS, ...place })
  const events = items
    .filter((e) => made.includes(e.involvedObject.name ?? ''))
    .map((e) => ({ of: e.involvedObject.name ?? '', type: e.type ?? '', reason: e.reason ?? '', message: e.message ?? '' }))
  return rowsOf({ calls: calls(), events, facts })
}

async function findOut(fact: Fact, name: string): Promise<Fact> {
  const { what, on, command, at } = fact
  if (fact.conditions !== undefined) {
    const { status, spec } = await client.get({ ...NODES, name: NODE })
    const conditions = (status?.conditions ?? []).filter((c) => c.type === 'Ready')
    return {
      at,
      what,
      conditions: conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message })),
      taints: spec?.taints ?? null,
    }
  }
  if (command === undefined) return { at, what, answer: (await podNamed(name)) !== undefined }
  const here = addressedHere(command)
  const pod = fact.pod === undefined ? undefined : await podNamed(fact.pod)
  const run = pod !== undefined ? runInPod(machine, pod, here) : on === 'node' ? runOnNode(here) : outside(here)
  const { out, code } = await run
  return { ...fact, stdout: out, code }
}

/** Texts of rules and lists of files are those of a release of the plugins, and of pods of other stories. */
const isCompared = ({ command = '' }: Fact) => !/nft list|iptables-save|^ls |ip addr|tc /.test(command)
/** The events of containers and of the scheduler are another recording's; so is when a taint ends a pod. */
const OTHERS = new Set(['Scheduled', 'Pulled', 'Created', 'Started', 'Killing', 'TaintManagerEviction', 'FailedMount'])

function rowsOf({ calls, events, facts }: Pick<CniStory, 'calls' | 'events' | 'facts'>): readonly unknown[] {
  const called = calls.filter(isBeforeRemoval).map(({ plugin, command, env, stdin, stdout, code, fault }) => {
    const args = (env.CNI_ARGS ?? '').split(';').toSorted()
    return { plugin, command, args, interface: env.CNI_IFNAME, stdin, stdout, code, fault }
  })
  const others = events.filter((e) => !OTHERS.has(e.reason)).map(({ of, type, reason, message }) => ({ of, type, reason, message }))
  const seen = facts.filter(isCompared).map(({ what, stdout, code, answer, conditions, taints }) => ({
    what,
    stdout: stdout?.trim(),
    code,
    answer,
    conditions,
    taints: taints?.map(({ key, effect }) => ({ key, effect })),
  }))
  const texts = [...inOrder(called), ...others.toSorted((a, b) => (a.message < b.message ? -1 : 1)), ...seen].map((row) => scrubbed(row))
  return [...new Set(texts)].map((text) => JSON.parse(text))
}

/** A sandbox that was stopped is removed later, without its network: the recordings end before. */
const isBeforeRemoval = ({ command, env }: PluginCall) => command !== 'DEL' || Boolean(env.CNI_NETNS)

/** loopback and the list are called side by side, and which comes first is chance; how often a call is made again depends on times. */
const inOrder = (calls: readonly { readonly plugin: string; readonly interface: string | undefined }[]) => [
  ...calls.filter((call) => call.interface === 'lo'),
  ...calls.filter((call) => call.interface !== 'lo'),
]

const scrubbed = (row: unknown) =>
  JSON.stringify(scrub(row))
    // Older plugins write what is empty.
    .replaceAll(',"dns":{}', '')
    // As the server here writes it.
    .replaceAll(/FD00:0002:(?:0000:){5}0001/gi, 'fd00:2::1')
    .replaceAll(/192\.0\.2\.1[12]/g, '<node-ip>')
    .replaceAll(plugins, '<dir>/cnibin')
    .replaceAll(/cni-[0-9a-f]{8}-[0-9a-f-]{27}/g, 'cni-<netns>')
    .replaceAll(/cni-<id>/g, 'cni-<netns>')
    .replaceAll(/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/g, '<mac>')
    .replaceAll(/veth[0-9a-f]{8}/g, 'veth<id>')
    .replaceAll(/(<ip>|<node-ip>|192\.0\.2\.1|fd00:2::1)\]?:(\d+|<port>)/g, '$1:<port>')

await playStories<CniStory>({ recordings, report, names, wanted: rowsOf, play })
// The runtime goes with this process.
process.exit(0)
