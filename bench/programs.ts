/**
 * Programs in containers, in CPU time of this process: `node bench/programs.ts [pods] [requests]`. Pods with a program beside pods with
 * none, and round trips through a service.
 */
import { VirtualClock } from '../src/base/clock.ts'
import { seededRandom } from '../src/base/random.ts'
import type { Program } from '../src/node/programs/program.ts'
import { PODS, SERVICES } from '../src/resources/refs.ts'
import { pod, service } from '../src/testing/builders.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { waitFor } from '../src/testing/wait-for.ts'

const podCount = Number(process.argv[2] ?? 1000)
const requests = Number(process.argv[3] ?? 2000)
const pods = { ...PODS, namespace: 'default' }

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const idle: Program = async (container) => {
  await container.clock.sleep(1e12)
}

for (const image of ['scripted', 'played']) {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ nodes: 10, images: { played: idle } }, { clock, random: seededRandom(1), freeze: false })
  const client = cluster.client()
  await waitFor(() => client.create(pods, pod('first', { image })), { clock })
  const heldBefore = process.memoryUsage().heapUsed
  const spent = await cpuOf(async () => {
    for (let i = 0; i < podCount; i++) await client.create(pods, pod(`p${i}`, { image }))
    await waitFor(async () => (await client.list(pods, { fieldSelector: 'status.phase=Running' })).items.length === podCount + 1, {
      clock,
      everyMs: 500,
      timeoutMs: 1e6,
    })
  })
  const grownKb = (process.memoryUsage().heapUsed - heldBefore) / 1024
  console.log(
    `${image}: ${(spent / podCount).toFixed(2)} ms of CPU a pod until it runs, ${(grownKb / podCount).toFixed(0)} KiB of heap more`,
  )
}

const web: Program = async (container) => {
  await container.listen(80, () => new Response('hello'))
}
const spent = new Map<string, number>()
const caller: Program = async (container) => {
  for (const url of ['http://web', `http://${(await container.lookup('web'))[0]}`]) {
    await container.fetch(url)
    spent.set(
      url,
      await cpuOf(async () => {
        for (let i = 0; i < requests; i++) await (await container.fetch(url)).text()
      }),
    )
  }
}
const clock = new VirtualClock()
await using cluster = await startCluster({ images: { web, caller } }, { clock, random: seededRandom(1), freeze: false })
const client = cluster.client()
await client.create({ ...SERVICES, namespace: 'default' }, service('web', { app: 'web' }))
await waitFor(() => client.create(pods, pod('web', { metadata: { labels: { app: 'web' } }, image: 'web' })), { clock })
await clock.advance(3000)
await client.create(pods, pod('caller', { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'caller' }] } }))
await waitFor(async () => (await client.get({ ...pods, name: 'caller' })).status?.phase === 'Succeeded', { clock, timeoutMs: 1e7 })
for (const [url, ms] of spent) console.log(`${url}: ${((ms * 1000) / requests).toFixed(0)} µs of CPU a request, both sides`)
