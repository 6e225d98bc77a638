/** The tests of `process-network.test.ts`, which starts this file in namespaces of its own. No container runtime runs here. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { PODS } from '../../src/resources/refs.ts'
import type { PodSpec } from '../../src/resources/types/core.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../src/sdk/client/https.ts'
import { loadKubeconfigFile } from '../../src/sdk/client/kubeconfig.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { findRuntime } from './found-runtime.ts'
import { isReady, logOf } from './real-pods.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const sh = (script: string) => execFileSync('sh', ['-ec', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
// The machine's own are covered.
sh('mkdir -p /run/netns /var/lib/cni; for at in /run/netns /var/lib/cni; do mount -t tmpfs tmpfs $at; done; ip link set lo up')

const lists = path.join(folder, 'net.d')
const plugins = path.join(folder, 'bin')
const calls = path.join(folder, 'calls')
for (const at of [lists, plugins]) mkdirSync(at)

/**
 * Writes down how each plugin is called, and calls it. `watch` is a bridge of 1.1.0, with `STATUS` and `GC`, which older ones do not know.
 */
function install(name: string, program: string): void {
  const line = `in=$(cat); echo "$CNI_COMMAND ${name} $in" >> ${calls}`
  writeFileSync(path.join(plugins, name), `#!/bin/sh\n${line}\n${program}\n`)
  chmodSync(path.join(plugins, name), 0o755)
}

for (const name of readdirSync(found.cni)) install(name, `printf %s "$in" | exec ${path.join(found.cni, name)}`)
install(
  'watch',
  `case $CNI_COMMAND in
STATUS) [ ! -e ${folder}/broken ] || { echo '{"cniVersion":"1.1.0","code":50,"msg":"the cable is out"}'; exit 1; };;
CHECK) [ ! -e ${folder}/changed ] || { echo '{"cniVersion":"1.1.0","code":11,"msg":"somebody changed it"}'; exit 1; };;
esac
printf %s "$in" | sed 's/1[.]1[.]0/1.0.0/g; s/"type":"watch"/"type":"bridge"/' | CNI_COMMAND=$(echo $CNI_COMMAND | sed 's/STATUS\\|GC/VERSION/') ${path.join(found.cni, 'bridge')} | sed 's/1[.]0[.]0/1.1.0/'`,
)

const ipam = { type: 'host-local', ranges: [[{ subnet: '10.77.0.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] }
const list = (cniVersion: string, more: readonly object[] = []) => ({
  cniVersion,
  name: 'test',
  plugins: [
    { type: 'bridge', bridge: 'cni0', isGateway: true, hairpinMode: true, ipam },
    { type: 'portmap', capabilities: { portMappings: true }, snat: true },
    { type: 'bandwidth', capabilities: { bandwidth: true } },
    ...more,
  ],
})
const write = (content: object) => writeFileSync(path.join(lists, '10-test.conflist'), JSON.stringify(content))

/** A server of HTTPS alone refuses plain HTTP, but it answers. */
const REACHED = /API server|SocketError/
const MAIN = path.join(import.meta.dirname, '../../src/cli/main.ts')
const place = { namespace: 'default' }
/** Serves its own address, and says whether it reaches the API server. */
const SERVER = `const http = require('node:http')
http.createServer((_, response) => response.end('hello from ' + process.env.IP)).listen(8080)
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
fetch('http://' + host + ':' + port).then((r) => console.log('API server', r.status), (error) => console.log(error))`
const web: PodSpec = {
  terminationGracePeriodSeconds: 1,
  containers: [
    {
      name: 'main',
      image: 'server:dev',
      env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      ports: [{ containerPort: 8080, hostPort: 31_080 }],
      readinessProbe: { httpGet: { port: 8080, path: '/' }, periodSeconds: 1 },
    },
  ],
}
const openCluster = () =>
  startCluster({
    nodes: 1,
    images: { 'server:dev': { command: [process.execPath, '-e', SERVER] } },
    cniConfDir: lists,
    cniBinDir: plugins,
  })
const callsOf = (command: string) =>
  (existsSync(calls) ? readFileSync(calls, 'utf8') : '').split('\n').filter((line) => line.startsWith(`${command} `))
/** Those of the list, not those that they call. */
const pluginsOf = (command: string) =>
  callsOf(command)
    .flatMap((line) => line.split(' ')[1] ?? [])
    .filter((name) => name !== 'host-local')
const left = () => ({
  namespaces: readdirSync('/run/netns'),
  addresses: readdirSync('/var/lib/cni/networks/test').filter((name) => /^\d/.test(name)),
  interfaces: sh('ip -o link')
    .split('\n')
    .filter((line) => / veth/.test(line)),
})
const NOTHING = { namespaces: [], addresses: [], interfaces: [] }

for (const version of ['0.4.0', '1.0.0'])
  test(`a process has the address of its plugins, a port of the machine, and a limit that is seen at once (${version})`, async () => {
    write(list(version))
    writeFileSync(calls, '')
    await using cluster = await openCluster()
    const client = cluster.client()
    const annotations = { 'kubernetes.io/ingress-bandwidth': '10M' }
    await client.create({ ...PODS, ...place }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', annotations }, spec: web })
    const pod = () => client.get({ ...PODS, ...place, name: 'web' })
    await waitFor(async () => isReady(await pod()), { timeoutMs: 30_000 })
    const { podIP = '' } = (await pod()).status ?? {}
    assert.match(podIP, /^10\.77\.0\./)
    for (const address of [`${podIP}:8080`, '10.77.0.1:31080'])
      assert.equal(await (await fetch(`http://${address}`, { signal: AbortSignal.timeout(10_000) })).text(), `hello from ${podIP}`)
    await waitFor(async () => REACHED.test(await logOf(client, 'web')), { timeoutMs: 10_000 })
    const limit = sh('tc qdisc show')
    assert.match(limit, /tbf .* rate 10Mbit burst 12[0-9]+b|tbf .* rate 10Mbit burst 1[0-9]+Kb/)
    assert.deepEqual(pluginsOf('ADD'), ['bridge', 'portmap', 'bandwidth'])
    // Debian's portmap finds fault with a network without IPv6, and the check ends there.
    assert.deepEqual(pluginsOf('CHECK').slice(0, 2), ['bridge', 'portmap'])
    await client.delete({ ...PODS, ...place, name: 'web' })
    await waitFor(async () => (await client.list({ ...PODS, ...place })).items.length === 0, { timeoutMs: 30_000 })
    assert.deepEqual(pluginsOf('DEL'), ['bandwidth', 'portmap', 'bridge'])
    assert.deepEqual(left(), NOTHING)
  })

test('a network is looked after: its plugins say whether it works, check it, and free what nobody has', async () => {
  const { plugins: all, ...rest } = list('1.1.0')
  write({ ...rest, plugins: [{ ...all[0], type: 'watch' }] })
  writeFileSync(calls, '')
  writeFileSync(path.join(folder, 'broken'), '')
  await using cluster = await openCluster()
  const client = cluster.client()
  await client.create({ ...PODS, ...place }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: web })
  const events = async () =>
    (await client.list({ group: '', version: 'v1', resource: 'events', ...place })).items as readonly { message?: string }[]
  await waitFor(async () => (await events()).some(({ message = '' }) => message.includes('the cable is out')), { timeoutMs: 20_000 })
  sh(`rm ${folder}/broken`)
  const pod = () => client.get({ ...PODS, ...place, name: 'web' })
  await waitFor(async () => isReady(await pod()), { timeoutMs: 30_000 })
  assert.ok(callsOf('GC').some((line) => line.includes('"cni.dev/valid-attachments":[]')))
  writeFileSync(path.join(folder, 'changed'), '')
  sh("pkill -KILL -f '[h]ello from'")
  await waitFor(async () => (await events()).some(({ message = '' }) => message.includes('somebody changed it')), { timeoutMs: 30_000 })
  await client.delete({ ...PODS, ...place, name: 'web' })
  await waitFor(async () => (await client.list({ ...PODS, ...place })).items.length === 0, { timeoutMs: 30_000 })
  assert.deepEqual(left(), NOTHING)
})

test('a plugin that fails, is missing or prints garbage is named in the event; nothing is left', async () => {
  install('garbage', 'echo nonsense')
  install('fails', `[ $CNI_COMMAND = DEL ] || { echo '{"cniVersion":"1.0.0","code":7,"msg":"no","details":"never"}'; exit 1; }`)
  await using cluster = await openCluster()
  const client = cluster.client()
  const faults = {
    fails: 'plugin type="fails" failed (add): no; never',
    garbage: 'plugin type="garbage" failed (add): failed to unmarshal raw result',
    nowhere: 'plugin type="nowhere" failed (add): failed to find plugin "nowhere" in path',
  }
  for (const [type, why] of Object.entries(faults)) {
    write(list('1.0.0', [{ type }]))
    await client.create({ ...PODS, ...place }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: type }, spec: web })
    const events = async () =>
      (await client.list({ group: '', version: 'v1', resource: 'events', ...place })).items as readonly { message?: string }[]
    await waitFor(async () => (await events()).some(({ message = '' }) => message.includes(why)), { timeoutMs: 20_000 })
    if (type === 'nowhere') install('nowhere', 'true')
    await client.delete({ ...PODS, ...place, name: type })
    await waitFor(async () => (await client.list({ ...PODS, ...place })).items.length === 0, { timeoutMs: 30_000 })
    assert.deepEqual(left(), NOTHING)
  }
})

test('what `bowsprit up` leaves when it is killed is taken away by the next cluster', async () => {
  write(list('1.0.0'))
  const kubeconfig = path.join(folder, 'kubeconfig')
  const images = path.join(folder, 'images.yaml')
  writeFileSync(images, `images: {'server:dev': {command: ${JSON.stringify([process.execPath, '-e', SERVER])}}}`)
  const cluster = ['--ephemeral', '--port', '0', '--no-page', '--nodes', '1', '--kubeconfig', kubeconfig]
  const args = ['up', ...cluster, '--images', images, '--cni-conf-dir', lists, '--cni-bin-dir', plugins]
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await waitFor(() => existsSync(kubeconfig), { timeoutMs: 30_000 })
  await using transport = httpsTransport(await loadKubeconfigFile(kubeconfig))
  const client = createClient(transport)
  const create = () => client.create({ ...PODS, ...place }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: web })
  await waitFor(() => create().then(Boolean, () => false), { timeoutMs: 30_000 })
  await waitFor(async () => isReady(await client.get({ ...PODS, ...place, name: 'web' })), { timeoutMs: 30_000 })
  await waitFor(async () => REACHED.test(await logOf(client, 'web')), { timeoutMs: 10_000 })
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(left().namespaces.length, 1)
  await using _cluster = await openCluster()
  await waitFor(() => left().namespaces.length === 0, { timeoutMs: 10_000 })
  assert.deepEqual(left(), NOTHING)
})
