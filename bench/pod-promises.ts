/**
 * `node bench/pod-promises.ts [pods]`: how many promises one pod makes from its creation to Running, by the part of the program that makes
 * them, and by function. A count, which no other load of the machine changes; each costs a quarter of a microsecond and two hundred bytes.
 */
import { promiseHooks } from 'node:v8'
import type { KubeObject } from '../src/machinery/object.ts'
import { PODS } from '../src/resources/refs.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { waitFor } from '../src/testing/wait-for.ts'
import { pod } from './objects.ts'

const count = Number(process.argv[2] ?? 300)
/** Every third one is looked at: a stack takes longer than a promise. */
const EVERY = 3

await using cluster = await startCluster({ nodes: 20 })
const client = cluster.client()
const target = { ...PODS, namespace: 'default' }

async function burst(prefix: string, pods: number): Promise<void> {
  const objects = Array.from({ length: pods }, (_, i) => JSON.parse(pod(`${prefix}-${i}`)) as KubeObject)
  await Promise.all(objects.map((object) => client.create(target, object)))
  await waitFor(async () => {
    const { items } = await client.list(target, { fieldSelector: 'status.phase=Running' })
    return items.filter(({ metadata }) => metadata.name?.startsWith(`${prefix}-`)).length === pods
  })
}

await waitFor(
  async () => (await client.list({ group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'default' })).items.length > 0,
)
await burst('warm', 100)
await new Promise((resolve) => setTimeout(resolve, 1500))

const places = new Map<string, number>()
let made = 0
let looking = false
Error.stackTraceLimit = 12
const stop = promiseHooks.onInit(() => {
  if (looking || ++made % EVERY !== 0) return
  looking = true
  const line = new Error().stack?.split('\n').find((at, i) => i > 1 && at.includes('/src/')) ?? ''
  looking = false
  const [, name = '', file = 'elsewhere'] = /at (?:async )?(?:(\S+) .*)?\/src\/(.*?):\d+:\d+/.exec(line) ?? []
  const place = `${file} ${name}`
  places.set(place, (places.get(place) ?? 0) + EVERY)
})
await burst('p', count)
stop()

const print = (sums: ReadonlyMap<string, number>, most: number) => {
  for (const [what, sum] of [...sums].sort((a, b) => b[1] - a[1]).slice(0, most))
    console.log(`  ${(sum / count).toFixed(1).padStart(6)}  ${what}`)
}
const parts = new Map<string, number>()
for (const [place, sum] of places) parts.set(place.split(/[/ ]/)[0] ?? '', (parts.get(place.split(/[/ ]/)[0] ?? '') ?? 0) + sum)
console.log(`promises a pod: ${(made / count).toFixed(1)}`)
print(parts, 12)
console.log('by function:')
print(places, 40)
