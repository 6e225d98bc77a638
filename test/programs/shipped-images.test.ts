/** Kubernetes' test image in simulated containers, as its conformance suite uses it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
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
  return { clock, client, create, until, run, logs: whole, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

test('it prints its arguments, and the content of files', async () => {
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

test('its servers respond, and one requests the other', async () => {
  await using it = await open()
  await it.run('server', ['netexec', '--http-port=8083'])
  const { status } = await it.until('server', (p) => p.status?.phase === 'Running')
  const script = [
    `/agnhost entrypoint-tester x; curl -s http://${status?.podIP}:8083/hostname; echo`,
    `curl -s -o /dev/null -w '%{http_code}\\n' '${status?.podIP}:8083/echo?msg=hi&code=418'; wget -qO- ${status?.podIP}:8083/echo?msg=there; echo`,
    `nc -z -w 2 ${status?.podIP} 8083 && echo open; curl -s -m 2 ${status?.podIP}:8084; echo $?; nslookup kubernetes.default | tail -n 1`,
    `curl -s "http://${status?.podIP}:8083/dial?host=${status?.podIP}&port=8083&request=hostname&tries=2"; curl -s http://${status?.podIP}:8083/shell?cmd=echo+me`,
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
  const ready = (p: Pod) => p.status?.containerStatuses?.[0]?.ready
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
  assert.ok((status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1)
})

test('a paused one reports that, and the signal that ends it', async () => {
  await using it = await open()
  await it.run('paused', [])
  await it.until('paused', (p) => p.status?.phase === 'Running')
  const { exit } = await it.client.exec({ namespace: 'default', name: 'paused' }, ['sh', '-c', 'kill -TERM 1'])
  await exit
  assert.equal(await it.logs('paused'), 'Paused\nSignals registered\nexiting because of signal "terminated"\n')
  const { status } = await it.client.get({ ...pods, name: 'paused' })
  const { exitCode, message } = status?.containerStatuses?.[0]?.state?.terminated ?? {}
  assert.deepEqual([exitCode, message], [2, 'exiting because of signal "terminated"\n'])
})

test('it writes the given number of lines, each about another request', async () => {
  await using it = await open()
  await it.run('lines', ['logs-generator', '--log-lines-total', '40', '--run-duration', '4s'])
  const lines = (await it.logs('lines')).trimEnd().split('\n')
  assert.equal(lines.length, 40)
  for (const [i, line] of lines.entries())
    assert.match(line, new RegExp(` ${i} (GET|POST|PUT) /api/v1/namespaces/(kube-system|default|ns)/pods/[a-z0-9]{3,} [2-5]\\d\\d$`))
  assert.ok(lines.some((l) => l.includes('/kube-system/')))
  await it.run('none', ['logs-generator'])
  assert.match(await it.logs('none'), /Invalid total number of lines/)
})

test('its guestbook has three tiers, and a late replica has the earlier entries', async () => {
  await using it = await open()
  const service = (name: string, port: number) =>
    waitFor(
      () =>
        it.client.create(
          { group: '', version: 'v1', resource: 'services', namespace: 'default' },
          { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port }], selector: { tier: name } } },
        ),
      { clock: it.clock },
    )
  const tier = async (name: string, of: string, args: readonly string[]) => {
    const containers = [{ name: 'main', image: HELPER, args: ['guestbook', ...args] }]
    await waitFor(() => it.client.create(pods, pod(name, { metadata: { labels: { tier: of } }, spec: { containers } })), {
      clock: it.clock,
    })
    await it.until(name, (p) =>
      p.status?.conditions?.some((c: { type: string; status: string }) => c.type === 'Ready' && c.status === 'True'),
    )
  }
  for (const [name, port] of [
    ['agnhost-primary', 6379],
    ['agnhost-replica', 6379],
    ['frontend', 80],
  ] as const)
    await service(name, port)
  await tier('primary', 'agnhost-primary', ['--http-port', '6379'])
  await tier('replica-1', 'agnhost-replica', ['--replicaof', 'agnhost-primary', '--http-port', '6379'])
  await tier('front', 'frontend', ['--backend-port', '6379'])
  await it.clock.advance(2000)
  const ask = async (name: string, query: string) => {
    await it.run(name, [], { command: ['sh', '-c', `until curl -s 'http://frontend/guestbook?${query}'; do sleep 1; done`] })
    return (await it.logs(name)).trim()
  }
  assert.equal(await ask('get-1', 'cmd=get&key=messages&value='), '{"data":""}')
  assert.equal(await ask('set-1', 'cmd=set&key=messages&value=TestEntry'), '{"message":"Updated"}')
  assert.equal(await ask('get-2', 'cmd=get&key=messages&value='), '{"data":"TestEntry"}')
  assert.equal(await ask('bad', 'cmd=eat&key=messages'), "unsupported cmd: 'eat'")
  await it.client.delete({ ...pods, name: 'replica-1' })
  await tier('replica-2', 'agnhost-replica', ['--replicaof', 'agnhost-primary', '--http-port', '6379'])
  await it.clock.advance(40_000)
  assert.equal(await ask('get-3', 'cmd=get&key=messages'), '{"data":"TestEntry"}')
})

test("it verifies its token with the issuer's keys, and refuses one for another audience", async () => {
  await using it = await open()
  await waitFor(
    () =>
      it.client.create(
        { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'discovery' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:service-account-issuer-discovery' },
          subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
        },
      ),
    { clock: it.clock },
  )
  const volumes = [
    { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 600, audience: 'me' } }] } },
  ]
  const verified = async (name: string, audience: string) => {
    const args = ['test-service-account-issuer-discovery', '--token-path', '/tokens/token', '--audience', audience]
    const containers = [{ name: 'main', image: HELPER, args, volumeMounts: [{ name: 'token', mountPath: '/tokens' }] }]
    await waitFor(() => it.client.create(pods, pod(name, { spec: { restartPolicy: 'Never', containers, volumes } })), { clock: it.clock })
    return it.logs(name)
  }
  assert.match(await verified('mine', 'me'), /OK: Validated signature on JWT\nOK: Got valid claims from token!\n$/)
  assert.match(await verified('theirs', 'you'), /expected audience "you" got/)
})

test('a hook of a container that only sleeps is run', async () => {
  await using it = await open()
  await it.run('server', ['nettest'])
  const { status } = await it.until('server', (p) => p.status?.phase === 'Running')
  const write = ['wget', '-O-', '--post-data={"Source": "prestop"}', `http://${status?.podIP}:8080/write`]
  const sleeper = { image: 'busybox', command: ['sleep', '600'], args: [], lifecycle: { preStop: { exec: { command: write } } } }
  await it.run('leaving', [], sleeper)
  await it.until('leaving', (p) => p.status?.phase === 'Running')
  await it.client.delete({ ...pods, name: 'leaving' }, { gracePeriodSeconds: 30 })
  await waitFor(
    () =>
      it.client.get({ ...pods, name: 'leaving' }).then(
        () => false,
        () => true,
      ),
    { clock: it.clock },
  )
  await it.run('asker', [], { image: 'busybox', command: ['wget', '-qO-', `http://${status?.podIP}:8080/read`], args: [] })
  assert.deepEqual(JSON.parse(await it.logs('asker')).Received, { prestop: 1 })
})

test('with allowPrivilegeEscalation: false a setuid program runs as the user', async () => {
  await using it = await open()
  const image = 'registry.k8s.io/e2e-test-images/nonewprivs:1.4'
  for (const [name, allowPrivilegeEscalation] of [
    ['kept', false],
    ['gained', true],
  ] as const)
    await it.run(name, [], { image, args: [], securityContext: { allowPrivilegeEscalation, runAsUser: 1000 } })
  assert.deepEqual([await it.logs('kept'), await it.logs('gained')], ['Effective uid: 1000\n', 'Effective uid: 0\n'])
})

test('curl has the options that tests of services use', async () => {
  await using it = await open()
  await it.run('server', ['netexec'])
  const { status } = await it.until('server', (p) => p.status?.phase === 'Running')
  const options = '-g -q -s --interface eth0 --connect-timeout 2 --max-time 60 --ipv4 --globoff'
  await it.run('asker', [], { image: 'busybox', command: ['sh', '-c', `curl ${options} http://${status?.podIP}:8080/hostname`], args: [] })
  assert.equal(await it.logs('asker'), 'server')
})

test('two servers share a pod when one of them wants no port for UDP', async () => {
  await using it = await open()
  const second = { name: 'second', image: HELPER, args: ['netexec', '--http-port', '9090', '--udp-port', '-1'] }
  await it.create(pod('both', { spec: { containers: [{ name: 'main', image: HELPER, args: ['netexec'] }, second] } }))
  const { status } = await it.until('both', (p) => p.status?.containerStatuses?.every((c: { ready: boolean }) => c.ready))
  const requested = [8080, 9090].map((port) => `curl -s http://${status?.podIP}:${port}/hostname`).join('; ')
  await it.run('asker', [], { image: 'busybox', command: ['sh', '-c', requested], args: [] })
  assert.equal(await it.logs('asker'), 'bothboth')
})
