/**
 * How long it takes from the creation of a pod to `Running`, and to the first line of its log, for a container that is a process of this
 * machine, beside one that Bowsprit's own shell plays: `node bench/processes.ts [rounds]`. Time of the machine's clock: compare the two
 * rows of one run.
 */

import { startCluster } from '../src/cluster/start-cluster.ts'
import { PODS } from '../src/resources/refs.ts'
import type { Container } from '../src/resources/types/core.ts'
import type { Client } from '../src/sdk/client/client.ts'
import { pod } from '../src/testing/builders.ts'
import { waitFor } from '../src/testing/wait-for.ts'

const rounds = Number(process.argv[2] ?? 50)
const pods = { ...PODS, namespace: 'default' }
const often = { everyMs: 1 }
const SCRIPT = 'echo up; sleep 3600'

function shown(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN).toFixed(0)
  return `median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms`
}

async function isUp(client: Client, name: string): Promise<boolean> {
  for await (const chunk of await client.logs({ namespace: 'default', name })) if (chunk.length > 0) return true
  return false
}

/** In milliseconds from the creation of the pod. */
interface Times {
  readonly running: number
  readonly printed: number
}

/** One pod, from its creation to its deletion. */
async function once(client: Client, name: string, container: Partial<Container>): Promise<Times> {
  const main = { name: 'main', image: 'busybox', ...container }
  const spec = { terminationGracePeriodSeconds: 0, containers: [main] }
  await waitFor(async () => (await client.list({ ...pods, resource: 'serviceaccounts' })).items.length > 0, often)
  const begun = performance.now()
  await client.create(pods, pod(name, { spec }))
  await waitFor(async () => (await client.get({ ...pods, name })).status?.phase === 'Running', often)
  const running = performance.now() - begun
  await waitFor(() => isUp(client, name), often)
  const printed = performance.now() - begun
  await client.delete({ ...pods, name })
  return { running, printed }
}

await using cluster = await startCluster(
  { port: 0, ephemeral: true, threads: true, images: { 'shell:dev': { command: ['sh', '-c'] } } },
  { quiet: true },
)
const client = cluster.client()
const kinds: Readonly<Record<string, Partial<Container>>> = {
  'a process of this machine': { image: 'shell:dev', args: [SCRIPT] },
  'a script in the shell of Bowsprit': { command: ['sh', '-c', SCRIPT] },
}
for (const [i, [what, container]] of Object.entries(kinds).entries()) {
  const first = await once(client, `first-${i}`, container)
  const times: Times[] = []
  for (let round = 0; round < rounds; round++) times.push(await once(client, `pod-${i}-${round}`, container))
  console.log(what)
  console.log(`  the first: Running after ${first.running.toFixed(0)} ms, its first line after ${first.printed.toFixed(0)} ms`)
  console.log(`  Running: ${shown(times.map((t) => t.running))}`)
  console.log(`  the first line of its log: ${shown(times.map((t) => t.printed))}`)
}
