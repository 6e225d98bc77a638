/**
 * How long commands and starts of containers take, with programs in the API server's process and in one of their own:
 * `node bench/programs-latency.ts [rounds]`. Time of the machine's clock: compare both in the same minute.
 */
import { startCluster } from '../src/cluster/start-cluster.ts'
import { PODS } from '../src/resources/refs.ts'
import type { Client } from '../src/sdk/client/client.ts'
import { pod } from '../src/testing/builders.ts'
import { waitFor } from '../src/testing/wait-for.ts'

const rounds = Number(process.argv[2] ?? 300)
const pods = { ...PODS, namespace: 'default' }

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

function shown(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN).toFixed(1)
  return `median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms`
}

async function repeated(work: (i: number) => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  for (let i = 0; i < rounds; i++) times.push(await milliseconds(() => work(i)))
  return times
}

/** Creates a pod whose main process is the shell; resolves when it runs. */
async function run(client: Client, name: string): Promise<void> {
  const main = { name: 'main', image: 'busybox', command: ['sh', '-c', 'while true; do sleep 60; done'] }
  await waitFor(() => client.create(pods, pod(name, { spec: { containers: [main] } })), { everyMs: 1 })
  await waitFor(async () => (await client.get({ ...pods, name })).status?.phase === 'Running', { everyMs: 1 })
}

async function echo(client: Client): Promise<void> {
  const command = await client.exec({ namespace: 'default', name: 'first' }, ['echo', 'hi'])
  for await (const _ of command.stdout);
  await command.exit
}

for (const threads of [false, true]) {
  await using cluster = await startCluster({ port: 0, ephemeral: true, nodes: 4, threads }, { quiet: true })
  const client = cluster.client()
  console.log(threads ? 'in a process of their own' : "in the API server's process")
  console.log(`  the first container: ${(await milliseconds(() => run(client, 'first'))).toFixed(0)} ms`)
  console.log(`  the next ones: ${shown(await repeated((i) => run(client, `p${i}`)))}`)
  console.log(`  a command (exec): ${shown(await repeated(() => echo(client)))}`)
}
