/** Plays recordings against a real node, in namespaces of their own: `scripts/real-stories.ts` starts this file there. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeUser } from '../../../src/cluster/users.ts'
import { NODES } from '../../../src/resources/refs.ts'
import { startCluster } from '../../../src/testing/start-cluster.ts'
import { waitFor } from '../../../src/testing/wait-for.ts'
import { findRuntime } from '../found-runtime.ts'
import { openMachine } from '../machine.ts'
import { isReady } from '../real-pods.ts'
import { clientCaOf, startAgent } from '../start-agent.ts'
import { CallLog } from './call-log.ts'
import { type Comparison, type Count, compare } from './compare.ts'
import { isForAll, type PlayDeps, playStory, unplayable } from './play-story.ts'
import type { Story } from './story.ts'

const [recordings = '', proxy = '', report = '', parallel = '3', ...names] = process.argv.slice(2)
const found = findRuntime()
if ('why' in found) throw new Error(found.why)

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-stories-'))
await using machine = await openMachine(folder, found)
// Where a reboot leaves it.
const socket = path.join(folder, 'proxy.sock')
const calls = path.join(folder, 'calls.jsonl')
spawn(proxy, [socket, machine.socket, calls], { stdio: 'inherit' })
while (!existsSync(socket)) await sleep(20)
await using cluster = await startCluster({ nodes: 0 })
const client = cluster.client()
await cluster.listen()
const kubeconfig = path.join(folder, 'kubeconfig')
writeFileSync(kubeconfig, cluster.kubeconfig())
const NODE = 'node-1'
const agentOptions = {
  machine: { ...machine, endpoint: `unix://${socket}` },
  folder,
  client: cluster.client(nodeUser(NODE)),
  networkClient: client,
  name: NODE,
  clientCa: clientCaOf(cluster.kubeconfig()),
  settings: {
    clusterDNS: ['10.0.0.10'],
    // As the recording of log rotation has them.
    containerLogMaxSize: '20Ki',
    containerLogMaxFiles: 3,
    containerLogMonitorInterval: '3s',
  },
}
let running: AsyncDisposable | undefined
const agent = {
  start() {
    running = startAgent(agentOptions)
  },
  async stop() {
    await running?.[Symbol.asyncDispose]()
  },
}
agent.start()
await waitFor(
  () =>
    client.get({ ...NODES, name: NODE }).then(
      () => true,
      () => false,
    ),
  { timeoutMs: 30_000 },
)
const deps: PlayDeps = { client, agent, machine, log: new CallLog(calls), nodeName: NODE, kubeconfig, folder }

const stories = readdirSync(recordings)
  .filter((file) => file.endsWith('.json') && (names.length === 0 || names.includes(file.slice(0, -5))))
  .map((file): Story => JSON.parse(readFileSync(path.join(recordings, file), 'utf8')))
const ASPECTS = ['calls', 'statuses', 'events', 'facts'] as const
const shown = ({ same, of }: Count) => `${same}/${of}`

function line(name: string, result: Comparison): string {
  return `${name}: ${ASPECTS.map((aspect) => `${aspect} ${shown(result[aspect])}`).join(', ')}`
}

const results = new Map<string, Comparison>()
const waiting = stories.filter((story) => {
  const why = unplayable(story)
  if (why !== undefined) console.log(`${story.story}: not played (${why})`)
  return why === undefined
})
// What is done to the whole machine comes when no other story is played.
const [alone, together] = [waiting.filter(isForAll), waiting.filter((story) => !isForAll(story))]
await Promise.all(Array.from({ length: Number(parallel) }, () => playOnes(together)))
for (const story of alone) {
  await waitFor(nodeReady, { timeoutMs: 180_000 })
  await playOnes([story])
}

/** The proxy waits longer after each failure before it connects again. */
async function nodeReady(): Promise<boolean> {
  return isReady(await client.get({ ...NODES, name: NODE }))
}

async function playOnes(queue: Story[]): Promise<void> {
  for (let story = queue.shift(); story !== undefined; story = queue.shift()) {
    try {
      const result = compare(story, await playStory(story, deps))
      results.set(story.story, result)
      console.log(line(story.story, result))
    } catch (error) {
      console.log(`${story.story}: could not be played: ${error}`)
    }
  }
}

const total = (aspect: (typeof ASPECTS)[number]): Count => ({
  same: [...results.values()].reduce((sum, r) => sum + r[aspect].same, 0),
  of: [...results.values()].reduce((sum, r) => sum + r[aspect].of, 0),
})
console.log(`all: ${ASPECTS.map((aspect) => `${aspect} ${shown(total(aspect))}`).join(', ')}`)
writeFileSync(report, [...results].map(([name, r]) => `# ${line(name, r)}\n${r.differences.join('\n')}\n`).join('\n'))
// The proxy and the runtime go with this process.
process.exit(0)
