import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../src/base/clock.ts'
import { seededRandom } from '../src/base/random.ts'
import type { KubeObject } from '../src/machinery/object.ts'
import type { ImagePrograms, Program } from '../src/node/programs/program.ts'
import type { Client } from '../src/sdk/client/client.ts'
import { PODS } from '../src/sdk/client/refs.ts'
import { pod, service } from '../src/testing/builders.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { waitFor } from '../src/testing/wait-for.ts'

const SERVICES = { group: '', version: 'v1', resource: 'services', namespace: 'default' } as const
const pods = { ...PODS, namespace: 'default' }

async function open(images: ImagePrograms) {
  const clock = new VirtualClock()
  const cluster = await startCluster({ images }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  return { clock, cluster, client, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

async function run(client: Client, clock: VirtualClock, object: KubeObject) {
  await waitFor(() => client.create(pods, object), { clock })
  return ended(client, clock, object.metadata.name ?? '')
}

const ended = (client: Client, clock: VirtualClock, name: string) =>
  waitFor(
    async () => {
      const found = await client.get({ ...pods, name })
      return (found.status?.phase === 'Succeeded' || found.status?.phase === 'Failed') && found
    },
    { clock },
  )

async function logs(client: Client, name: string): Promise<string> {
  let text = ''
  for await (const chunk of await client.logs({ namespace: 'default', name })) text += Buffer.from(chunk).toString()
  return text
}

const once = (image: string, more: object = {}) => ({ spec: { restartPolicy: 'Never', containers: [{ name: 'main', image, ...more }] } })

test('an image runs a program, with its words, environment and exit code', async () => {
  const program: Program = (container) => {
    container.log(container.args.join(' '), container.environment.COLOR, container.facts.pod.name)
    return 7
  }
  await using it = await open({ 'example/job:*': program })
  const more = { args: ['a', '$(COLOR)'], env: [{ name: 'COLOR', value: 'red' }] }
  const done = await run(it.client, it.clock, pod('job', once('example/job:1', more)))
  assert.equal(done.status.containerStatuses[0].state.terminated.exitCode, 7)
  assert.equal(await logs(it.client, 'job'), 'a red red job\n')
})

test('who throws ends with 1, and what he threw is in the log', async () => {
  await using it = await open({
    'example/bad': () => {
      throw new TypeError('no such thing')
    },
  })
  const done = await run(it.client, it.clock, pod('bad', once('example/bad:2')))
  const { exitCode, reason } = done.status.containerStatuses[0].state.terminated
  assert.deepEqual([exitCode, reason], [1, 'Error'])
  assert.match(await logs(it.client, 'bad'), /^TypeError: no such thing\n {4}at /)
})

test('a server behind a service is reached by its name', async () => {
  const server: Program = async (container) => {
    await container.listen(
      8080,
      (request) => new Response(`${request.method} ${new URL(request.url).pathname} by ${container.facts.hostname}\n`),
    )
  }
  const caller: Program = async (container) => {
    const response = await container.fetch('http://web/hello')
    container.log(response.status, (await response.text()).trim())
  }
  await using it = await open({ 'example/web': server, 'example/call': caller })
  const { client, clock } = it
  await client.create(SERVICES, service('web', {}, { spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] } }))
  await waitFor(() => client.create(pods, pod('web-1', { metadata: { labels: { app: 'web' } }, image: 'example/web' })), { clock })
  await waitFor(async () => (await client.get({ ...pods, name: 'web-1' })).status?.phase === 'Running', { clock })
  await clock.advance(2000)
  const done = await run(client, clock, pod('call', once('example/call')))
  assert.equal(await logs(client, 'call'), '200 GET /hello by web-1\n')
  assert.equal(done.status.phase, 'Succeeded')
})
