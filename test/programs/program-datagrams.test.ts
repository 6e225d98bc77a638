/** UDP messages and host ports for programs in containers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { Program } from '../../src/node/programs/program.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { podsOf } from './pods.ts'

const POLICIES = { group: 'networking.k8s.io', version: 'v1', resource: 'networkpolicies', namespace: 'default' } as const
const SERVICES = { group: '', version: 'v1', resource: 'services', namespace: 'default' } as const

/** Replies with its name and the message in capitals. */
const loud: Program = async ({ listenDatagrams, facts }) => {
  await listenDatagrams(53, ({ bytes, reply }) => reply(Buffer.from(`${facts.pod.name}: ${Buffer.from(bytes).toString().toUpperCase()}`)))
}

/** Sends a message to the address in its arguments, and prints the first reply, or that there was none. */
const asker: Program = async ({ args, openDatagrams, clock, log }) => {
  for (const target of args) {
    const [host = '', port] = target.split(' ')
    await using way = await openDatagrams(host, Number(port))
    clock.after(2000, () => way.close())
    await way.send('hello')
    let answer = 'silence'
    for await (const bytes of way) {
      answer = Buffer.from(bytes).toString()
      break
    }
    log(answer)
  }
  return 0
}

async function open() {
  const clock = new VirtualClock()
  const cluster = await startCluster({ images: { 'example/loud': loud, 'example/asker': asker } }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const own = podsOf(client, clock)
  const run = async (name: string, image: string, spec: object = {}, more: object = {}) => {
    await own.create(
      pod(name, {
        metadata: { labels: { app: name } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image, ...more }], ...spec },
      }),
    )
    return own.until(name, (p) => p.status?.phase !== 'Pending')
  }
  const requested = async (name: string, args: readonly string[], spec: object = {}) => {
    await run(name, 'example/asker', spec, { args })
    await own.ended(name)
    return own.logs(name)
  }
  return { client, run, requested, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

test('messages reach a pod, a service by its name and a port of its node; the same number is another port over TCP', async () => {
  await using it = await open()
  const found = await it.run('loud', 'example/loud', {}, { ports: [{ containerPort: 53, hostPort: 5353, protocol: 'UDP' }] })
  const ports = [
    { name: 'udp', port: 53, protocol: 'UDP' },
    { name: 'tcp', port: 54, targetPort: 53, protocol: 'TCP' },
  ]
  await it.client.create(SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'dns' },
    spec: { selector: { app: 'loud' }, ports },
  })
  const { podIP, hostIP } = found.status ?? {}
  const answers = await it.requested('asker', [`${podIP} 53`, 'dns 53', 'dns 54', `${hostIP} 5353`, `${podIP} 54`, '127.0.0.1 53'])
  assert.equal(answers, 'loud: HELLO\nloud: HELLO\nsilence\nloud: HELLO\nsilence\nsilence\n')
  const node = await it.requested('node', ['127.0.0.1 5353', '127.0.0.1 53'], { hostNetwork: true, nodeName: found.spec.nodeName })
  assert.equal(node, 'loud: HELLO\nsilence\n')
})

test('each address of a node has a port for another pod', async () => {
  await using it = await open()
  const port = (hostIP: string) => ({ ports: [{ containerPort: 53, hostPort: 5353, hostIP, protocol: 'UDP' }] })
  const first = await it.run('inside', 'example/loud', {}, port('127.0.0.1'))
  const { hostIP } = first.status ?? {}
  await it.run('outside', 'example/loud', { nodeName: first.spec.nodeName }, port(hostIP ?? ''))
  const node = await it.requested('node', ['127.0.0.1 5353', `${hostIP} 5353`], { hostNetwork: true, nodeName: first.spec.nodeName })
  assert.equal(node, 'inside: HELLO\noutside: HELLO\n')
})

test('what a policy forbids over UDP alone is lost without a word', async () => {
  await using it = await open()
  const { status } = await it.run('loud', 'example/loud')
  const allow = (protocol: string) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'only' },
    spec: { podSelector: { matchLabels: { app: 'loud' } }, policyTypes: ['Ingress'], ingress: [{ ports: [{ protocol, port: 53 }] }] },
  })
  await it.client.create(POLICIES, allow('TCP'))
  assert.equal(await it.requested('before', [`${status?.podIP} 53`]), 'silence\n')
  await it.client.delete({ ...POLICIES, name: 'only' })
  await it.client.create(POLICIES, allow('UDP'))
  assert.equal(await it.requested('after', [`${status?.podIP} 53`]), 'loud: HELLO\n')
})
