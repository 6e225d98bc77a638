/** Plays recordings of image credential providers in namespaces of their own: `scripts/credential-stories.ts` starts this file there. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/logger.ts'
import { systemRandom } from '../../../src/base/random.ts'
import { runRealNode } from '../../../src/cluster/nodes/run-real-node.ts'
import { nodeUser } from '../../../src/cluster/users.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CORE_EVENTS, NODES, PODS, SECRETS } from '../../../src/resources/refs.ts'
import type { Pod, PodSpec } from '../../../src/resources/types/core.ts'
import { startCluster } from '../../../src/testing/start-cluster.ts'
import { waitFor } from '../../../src/testing/wait-for.ts'
import { findRuntime } from '../found-runtime.ts'
import { openMachine } from '../machine.ts'
import { makeImages } from '../make-images.ts'
import { scrub } from '../stories/scrub.ts'
import { type ProviderCall, type ProviderScript, writeProviders } from './provider.ts'
import { serveRegistry } from './registry.ts'

interface PullFact {
  readonly at: number
  readonly image: string
  readonly state: readonly object[]
  readonly PullImage: readonly { readonly image: string; readonly auth: object | null; readonly error?: { readonly message: string } }[]
  readonly events: readonly { readonly type: string; readonly reason: string; readonly message: string }[]
  readonly seconds: number
}

interface CredentialStory {
  readonly story: string
  readonly configuration: object
  readonly answers: Readonly<Record<string, ProviderScript>>
  readonly kubelet: { readonly starts: boolean; readonly lastError?: string }
  readonly steps: readonly { readonly at: number; readonly images: readonly string[]; readonly secret?: boolean }[]
  readonly 'provider calls': readonly ProviderCall[]
  readonly facts: readonly PullFact[]
}

const [recordings = '', proxy = '', report = '', ...names] = process.argv.slice(2)
const found = findRuntime()
if ('why' in found) throw new Error(found.why)

const PLACE = '127.0.0.1:21500'
const LOGIN = { username: 'robot', password: 'secret' }
const place = { namespace: 'default' }
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-credentials-'))
await using machine = await openMachine(folder, found)
const socket = '/run/containerd/proxy.sock'
const calls = path.join(folder, 'calls.jsonl')
spawn(proxy, [socket, machine.socket, calls], { stdio: 'inherit' })
while (!existsSync(socket)) await sleep(20)
const layout = path.join(folder, 'layout')
mkdirSync(layout)
const images = [
  { names: [`${PLACE}/busybox:1.37.0-1`, `${PLACE}/busybox:1.36.1-1`], config: { Cmd: ['sh'] } },
  { names: [`${PLACE}/nonroot:1.5`], config: { Cmd: ['sh'], User: '1234' } },
]
execFileSync('tar', ['x', '-C', layout], { input: await makeImages(images) })
await serveRegistry(layout, { port: 21500, user: `${LOGIN.username}:${LOGIN.password}` })
await using cluster = await startCluster({ nodes: 0 })
const client = cluster.client()
const rules = [{ apiGroups: [''], resources: ['registry'], verbs: ['request-serviceaccounts-token-audience'] }]
await client.create(CLUSTER_ROLES, {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'audience' },
  rules,
})
await client.create(CLUSTER_ROLE_BINDINGS, {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'audience' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'audience' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
})
const auth = Buffer.from(JSON.stringify({ auths: { [PLACE]: LOGIN } })).toString('base64')
await client.create(
  { ...SECRETS, ...place },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': auth },
  },
)
const kubeletConfig = path.join(folder, 'kubelet.json')
const settings = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', cgroupRoot: machine.cgroupRoot, port: 0 }
writeFileSync(kubeletConfig, JSON.stringify(settings))

type Row = readonly [what: string, value: unknown]

/** What was seen of a story, or recorded of it, in rows that can be compared. */
async function play(story: CredentialStory): Promise<readonly Row[]> {
  rmSync('/var/lib/kubelet/image_manager', { recursive: true, force: true })
  const own = path.join(folder, story.story)
  const binDir = path.join(own, 'bin')
  const called = writeProviders(binDir, { provider: {}, second: {}, ...story.answers })
  const config = path.join(own, 'config.json')
  writeFileSync(config, JSON.stringify(story.configuration))
  const stop = new AbortController()
  const deps = {
    client: cluster.client(nodeUser('node-1')),
    networkClient: client,
    clock: systemClock,
    random: systemRandom(),
    log: silentLogger,
  }
  const node = {
    name: 'node-1',
    runtimeEndpoint: `unix://${socket}`,
    kubeletConfig,
    network: { serviceProxy: false, dns: false, policies: false, clusterCidrs: [] },
    credentials: { config, binDir },
  }
  let fault: string | undefined
  const running = runRealNode(node, deps, stop.signal).catch((error: Error) => {
    fault = error.message
  })
  const rows: Row[] = []
  if (story.kubelet.starts) {
    await waitFor(
      async () => (await client.get({ ...NODES, name: 'node-1' }).catch(() => undefined)) !== undefined || fault !== undefined,
      { timeoutMs: 30_000 },
    )
    if (fault !== undefined) return [['starts', fault]]
    for (const [i, step] of story.steps.entries())
      for (const image of step.images) {
        const fact = story.facts[i]
        if (fact !== undefined) rows.push(...(await pull(`pull-${story.story}-${i}`, { image, fact, secret: step.secret === true })))
      }
  } else await sleep(5000)
  rows.push(['starts', fault === undefined ? true : fault])
  stop.abort()
  await running
  return [...rows, ...called().map((call): Row => ['provider', scrubbedCall(call)])]
}

interface PullInput {
  readonly image: string
  readonly fact: PullFact
  readonly secret: boolean
}

async function pull(name: string, { image, fact, secret }: PullInput): Promise<readonly Row[]> {
  for (const one of machine.ctr('images', 'ls', '-q').split('\n')) if (one.startsWith(PLACE)) machine.ctr('images', 'rm', '--sync', one)
  const containers = [{ name: 'main', image, command: ['true'] }]
  const imagePullSecrets = secret ? [{ name: 'login' }] : []
  const spec: PodSpec = { nodeName: 'node-1', restartPolicy: 'Never', containers, imagePullSecrets }
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }
  const { uid = '' } = (await client.create({ ...PODS, ...place }, pod)).metadata
  const fails = fact.state.some((state) => 'waiting' in state)
  const stateOf = async () => (await client.get({ ...PODS, ...place, name })).status?.containerStatuses?.map((c) => c.state)
  const ended = async () => (JSON.stringify(await stateOf()) ?? '').includes(fails ? 'ErrImagePull' : 'terminated')
  await waitFor(ended, { timeoutMs: (fact.seconds + 20) * 1000 })
  const state = await stateOf()
  // What is asked in back-off comes right after.
  if (fails) await sleep(2500)
  const { items } = await client.list({ ...CORE_EVENTS, ...place })
  const events = items.filter((e) => e.involvedObject.uid === uid && /Pull|BackOff|Failed/.test(e.reason ?? ''))
  const pulls = pullsOf(uid)
  await client.delete({ ...PODS, ...place, name }, { gracePeriodSeconds: 0 })
  return factRows({
    ...fact,
    image,
    state: (state ?? []) as readonly object[],
    PullImage: pulls,
    events: events as unknown as PullFact['events'],
  })
}

const factRows = ({ image, state, PullImage, events }: PullFact): readonly Row[] => [
  ['state', scrub([image, state])],
  ...PullImage.map((one): Row => ['PullImage', scrub([one.image, one.auth ?? null, one.error?.message])]),
  ...events.map(({ type, reason, message }): Row => ['event', [type, reason, message.replace(/in \S+ \(\S+ .*$/, 'in <time>')]]),
]

interface LoggedCall {
  readonly call: string
  readonly request: {
    readonly image?: { readonly image: string }
    readonly auth?: object
    readonly sandbox_config?: { readonly metadata?: { readonly uid?: string } }
  }
  readonly error?: { readonly message: string }
}

const pullsOf = (uid: string): PullFact['PullImage'] =>
  readFileSync(calls, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): LoggedCall => JSON.parse(line))
    .filter(({ call, request }) => call === 'PullImage' && request.sandbox_config?.metadata?.uid === uid)
    .map(({ request, error }) => ({ image: request.image?.image ?? '', auth: request.auth ?? null, ...(error && { error }) }))

const scrubbedCall = ({ provider, args, stdin }: ProviderCall) => [
  provider,
  args,
  { ...stdin, ...('serviceAccountToken' in stdin && { serviceAccountToken: '<token>' }) },
]

/** The error in the kubelet's log line. */
const faultOf = (line = '') => (/err=("(?:[^"\\]|\\.)*")/.exec(line)?.[1] ?? '""').replace(/^.*$/, (quoted) => JSON.parse(quoted))

const recordedRows = ({ facts, kubelet, ...story }: CredentialStory): readonly Row[] => [
  ...facts.flatMap(factRows),
  ['starts', kubelet.starts ? true : faultOf(kubelet.lastError)],
  ...story['provider calls'].map((call): Row => ['provider', scrubbedCall(call)]),
]

/** Rows that both have, and those of one alone. */
function compare(wanted: readonly Row[], got: readonly Row[]) {
  const left = got.map((row) => JSON.stringify(row))
  const missing: string[] = []
  for (const row of wanted.map((one) => JSON.stringify(one))) {
    const at = left.indexOf(row)
    if (at < 0) missing.push(row)
    else left.splice(at, 1)
  }
  return { same: wanted.length - missing.length, of: wanted.length - missing.length + Math.max(missing.length, left.length), missing, left }
}

const lines: string[] = []
const total = { same: 0, of: 0 }
for (const file of readdirSync(recordings).filter((name) => name.endsWith('.json'))) {
  const story: CredentialStory = JSON.parse(readFileSync(path.join(recordings, file), 'utf8'))
  if (names.length > 0 && !names.includes(story.story)) continue
  const { same, of, missing, left } = compare(recordedRows(story), await play(story))
  total.same += same
  total.of += of
  console.log(`${story.story}: ${same}/${of}`)
  lines.push(`# ${story.story}: ${same}/${of}`, ...missing.map((row) => `- ${row}`), ...left.map((row) => `+ ${row}`))
}
console.log(`all: ${total.same}/${total.of}`)
writeFileSync(report, `${lines.join('\n')}\n`)
// The proxy and the runtime go with this process.
process.exit(0)
