/** Kubernetes' test image in simulated containers: what its conformance suite expects of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../src/base/clock.ts'
import { seededRandom } from '../src/base/random.ts'
import type { KubeObject } from '../src/machinery/object.ts'
import { PODS } from '../src/sdk/client/refs.ts'
import { pod } from '../src/testing/builders.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { waitFor } from '../src/testing/wait-for.ts'
import { podsOf } from './pods.ts'

const HELPER = 'registry.k8s.io/e2e-test-images/agnhost:2.63.0'
const pods = { ...PODS, namespace: 'default' }

async function open() {
  const clock = new VirtualClock()
  const cluster = await startCluster({}, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const { create, until, ended, logs } = podsOf(client, clock)
  const run = async (name: string, args: readonly string[], more: object = {}) => {
    const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: HELPER, args, ...more }] }
    await create(pod(name, { spec }))
  }
  const whole = async (name: string) => {
    await ended(name)
    return logs(name)
  }
  return { clock, client, until, run, logs: whole, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

test('it tells how it was called, and what it finds in files', async () => {
  await using it = await open()
  await it.run('words', ['entrypoint-tester', 'a', 'b'])
  assert.equal(await it.logs('words'), '[/agnhost entrypoint-tester a b]\n')
  await it.run('mounts', ['mounttest', '--file_content=/etc/hostname', '--new_file_0660=/tmp/new', '--file_perm=/tmp/new'])
  assert.equal(
    await it.logs('mounts'),
    'content of file "/tmp/new": mount-tester new file\n\nperms of file "/tmp/new": -rw-rw----\ncontent of file "/etc/hostname": mounts\n\n',
  )
  await it.run('wrong', ['no-such-thing'])
  assert.match(await it.logs('wrong'), /unknown command "no-such-thing"/)
})

test('its servers answer, and one asks the other', async () => {
  await using it = await open()
  await it.run('server', ['netexec', '--http-port=8083'])
  const { status } = await it.until('server', (p) => p.status?.phase === 'Running')
  const script = [
    `/agnhost entrypoint-tester x; curl -s http://${status.podIP}:8083/hostname; echo`,
    `curl -s -o /dev/null -w '%{http_code}\\n' '${status.podIP}:8083/echo?msg=hi&code=418'; wget -qO- ${status.podIP}:8083/echo?msg=there; echo`,
    `nc -z -w 2 ${status.podIP} 8083 && echo open; curl -s -m 2 ${status.podIP}:8084; echo $?; nslookup kubernetes.default | tail -n 1`,
    `curl -s "http://${status.podIP}:8083/dial?host=${status.podIP}&port=8083&request=hostname&tries=2"; curl -s http://${status.podIP}:8083/shell?cmd=echo+me`,
  ]
  await it.run('client', [], { command: ['sh', '-c', script.join('\n')] })
  const said =
    '[/agnhost entrypoint-tester x]\nserver\n418\nthere\nopen\n7\nAddress: 10.0.0.1\n{"responses":["server","server"]}{"output":"me\\n"}'
  assert.equal((await it.logs('client')).trim(), said)
})

test('a web server serves the files that lie in its image, and no others', async () => {
  await using it = await open()
  const readinessProbe = { httpGet: { path: '/index.html', port: 80 }, periodSeconds: 1, failureThreshold: 1 }
  const spec = { containers: [{ name: 'web', image: 'registry.k8s.io/e2e-test-images/httpd:2.4.38-4', readinessProbe }] }
  await waitFor(() => it.client.create(pods, pod('web', { spec })), { clock: it.clock })
  const ready = (p: KubeObject) => p.status?.containerStatuses?.[0]?.ready
  await it.until('web', ready)
  const moved = await it.client.exec({ namespace: 'default', name: 'web' }, [
    'sh',
    '-c',
    'mv -v /usr/local/apache2/htdocs/index.html /tmp/',
  ])
  assert.equal((await moved.exit).exitCode, 0)
  await it.until('web', (p) => ready(p) === false)
})

test('a container that is alive for ten seconds is started again', async () => {
  await using it = await open()
  const livenessProbe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1, failureThreshold: 1 }
  const spec = { containers: [{ name: 'main', image: HELPER, args: ['liveness'], livenessProbe }] }
  await waitFor(() => it.client.create(pods, pod('short', { spec })), { clock: it.clock })
  await it.clock.advance(30_000)
  const { status } = await it.client.get({ ...pods, name: 'short' })
  assert.ok(status.containerStatuses[0].restartCount >= 1)
})
