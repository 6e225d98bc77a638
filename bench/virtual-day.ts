/**
 * A day of nodes in virtual time: leases, statuses, CronJobs that succeed and fail, containers that crash, a rollout that is taken back.
 *
 * `node bench/virtual-day.ts [--nodes 100] [--hours 24] [--seed 1] [--keys FOLDER] [--idle]` prints a JSON line: the seconds of CPU that it
 * took, how many writes were made, and a hash over every object at the end. `--idle`: there are nodes, and nothing else. The same seed and
 * keys give the same hash (`test/controllers/virtual-day.test.ts`).
 */
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { VirtualClock } from '../src/base/clock.ts'
import { seededRandom } from '../src/base/random.ts'
import { openCertificates } from '../src/cluster/certificates.ts'
import type { KubeObject } from '../src/machinery/object.ts'
import { builtinResources } from '../src/resources/builtin.ts'
import { CRON_JOBS, DEPLOYMENTS, NAMESPACES, PODS } from '../src/resources/refs.ts'
import type { Client } from '../src/sdk/client/client.ts'
import { startCluster } from '../src/testing/start-cluster.ts'

const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2026, 0, 1)

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '100' },
    hours: { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
    keys: { type: 'string' },
    idle: { type: 'boolean', default: false },
  },
})

const template = (image: string, restartPolicy: string) => ({
  metadata: { labels: { image } },
  spec: { restartPolicy, containers: [{ name: 'c', image }] },
})
const cronJob = (image: string): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: image },
  spec: { schedule: '*/10 * * * *', jobTemplate: { spec: { backoffLimit: 2, template: template(image, 'Never') } } },
})
const deployment = (image: string): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: image },
  spec: { replicas: 20, selector: { matchLabels: { image } }, template: template(image, 'Always') },
})
const crashing: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'crash' }, spec: template('fail', 'Always').spec }

async function live(client: Client, clock: VirtualClock, hours: number): Promise<void> {
  const namespace = 'default'
  await clock.advance(20_000)
  await client.create({ ...DEPLOYMENTS, namespace }, deployment('web'))
  await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'passing' } })
  await client.create({ ...DEPLOYMENTS, namespace: 'passing' }, deployment('web'))
  await client.create({ ...CRON_JOBS, namespace }, cronJob('done'))
  await client.create({ ...CRON_JOBS, namespace }, cronJob('fail'))
  await client.create({ ...PODS, namespace }, crashing)
  await clock.advance((hours * HOUR_MS) / 2)
  await client.delete({ ...DEPLOYMENTS, namespace, name: 'web' }, { propagationPolicy: 'Foreground' })
  await client.delete({ ...NAMESPACES, name: 'passing' })
  await clock.advance((hours * HOUR_MS) / 2)
}

/** A hash over every object that the store holds. */
async function fingerprint(client: Client): Promise<{ objects: number; sha256: string }> {
  const hash = createHash('sha256')
  let objects = 0
  for (const { group, versions, names, review, verbs } of builtinResources()) {
    const version = versions.find((v) => v.served)?.version
    if (version === undefined || review !== undefined || verbs?.includes('list') === false) continue
    const { items } = await client.list({ group, version, resource: names.plural })
    objects += items.length
    for (const item of items) hash.update(`${group}/${names.plural} ${JSON.stringify(item)}\n`)
  }
  return { objects, sha256: hash.digest('hex') }
}

const late: string[] = []
const clock = new VirtualClock(START_MS, { onImpatience: (busy) => late.push(...busy) })
const begun = process.cpuUsage()
const certificates = openCertificates({ folder: values.keys, serviceCidr: '10.0.0.0/24' }, { clock })
await using cluster = await startCluster(
  { nodes: Number(values.nodes) },
  { clock, random: seededRandom(Number(values.seed)), certificates, freeze: false },
)
const client = cluster.client()
if (values.idle) await clock.advance(Number(values.hours) * HOUR_MS)
else await live(client, clock, Number(values.hours))
const { user, system } = process.cpuUsage(begun)
const { metadata } = await client.list({ ...PODS, namespace: 'default' })
const cpuSeconds = Number(((user + system) / 1e6).toFixed(1))
console.log(JSON.stringify({ ...values, cpuSeconds, late, revision: metadata.resourceVersion, ...(await fingerprint(client)) }))
