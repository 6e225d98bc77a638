/** The tests of `services.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NETWORK_POLICIES, PODS, SERVICES } from '../../src/resources/refs.ts'
import type { Pod, Service, ServiceSpec } from '../../src/resources/types/core.ts'
import type { NetworkPolicy } from '../../src/resources/types/networking.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { findRuntime } from './found-runtime.ts'
import { runInPod, runOnNode } from './in-pod.ts'
import { kubeletConfig } from './kubelet-config.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'

const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(process.argv[2] ?? '', found, { network: false })
const place = { namespace: 'default' }
const NODE = '192.0.2.11'

/** Its port is a port of the node, too, and what it receives is limited. */
function server(name: string, hostPort: number): Pod {
  const command = ['netexec', '--http-port=8080']
  const annotations = { 'kubernetes.io/ingress-bandwidth': '10M' }
  const ports = [{ containerPort: 8080, hostPort }]
  const readinessProbe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations, labels: { app: 'web' } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image, command, readinessProbe, ports }] },
  }
}

const service = (name: string, spec: ServiceSpec): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
})

const curl = (url: string) => `curl -gsm 2 ${url}; echo " exit $?"`
const requested = async (url: string) => (await runOnNode(curl(url))).out

test('on a machine without a network: host ports, bandwidth, services by address, name and port of the node; policies', async () => {
  await using cluster = await startCluster({
    runtime: machine.endpoint,
    cniFolder: machine.cniFolder,
    clusterCidr: '10.244.0.0/16',
    kubeletConfig: kubeletConfig(machine),
  })
  const client = cluster.client()
  const create = async (name: string, spec: ServiceSpec) => (await client.create({ ...SERVICES, ...place }, service(name, spec))).spec
  for (const [i, name] of ['web-0', 'web-1'].entries()) await client.create({ ...PODS, ...place }, server(name, 31_080 + i))
  const spec = await create('web', { type: 'NodePort' })
  const sticky = await create('sticky', { sessionAffinity: 'ClientIP' })
  const near = await create('near', { type: 'NodePort', externalTrafficPolicy: 'Local', internalTrafficPolicy: 'Local' })
  const address = `http://${spec?.clusterIP}`
  const seen = new Set<string>()
  const isSpread = async () => {
    seen.add((await requested(`${address}/hostname`)).replace(/ exit.*/, ''))
    return seen.has('web-0') && seen.has('web-1')
  }
  await waitFor(isSpread, { timeoutMs: 60_000 })
  assert.equal(await requested(`http://${NODE}:31081/hostname`), 'web-1 exit 0', 'a port of the node')
  assert.match((await runOnNode('tc qdisc show')).out, /tbf .*rate 10Mbit/, 'the annotation is a limit of the network')
  const nodePort = spec?.ports?.[0]?.nodePort
  assert.match(await requested(`${address}/clientip`), /^10\.244\.1\.1:\d+ exit 0/, 'the node is seen at its address among the pods')
  assert.match(await requested(`http://${NODE}:${nodePort}/clientip`), /^10\.244\.1\.1:\d+ exit 0/)
  assert.equal(await requested(`http://127.0.0.1:${nodePort}`), 'exit 7', 'ports of nodes are not open on loopback')
  assert.equal(await requested(`${address}:81`), 'exit 7')
  assert.match(await requested(`http://${near?.clusterIP}/hostname`), /^web-\d exit 0/)

  const pod = await client.get({ ...PODS, ...place, name: 'web-0' })
  const inPod = async (command: string) => new Set((await runInPod(machine, pod, command)).out.split('\n'))
  const sources = await inPod(`for i in $(seq 20); do curl -sm 2 ${address}/clientip | cut -d: -f1; done`)
  assert.deepEqual(sources, new Set(['10.244.1.1', pod.status?.podIP]), 'it reaches itself by way of the node')
  for (const name of ['web', 'web.default', 'web.default.svc.cluster.local'])
    assert.match((await runInPod(machine, pod, curl(`http://${name}/hostname`))).out, /^web-\d exit 0/, `${name} is known`)
  assert.equal((await runInPod(machine, pod, curl('http://nothing.default.svc.cluster.local./'))).out, 'exit 6', 'a name that nobody has')
  const chosen = await inPod(`for i in $(seq 12); do curl -sm 2 http://${sticky?.clusterIP}/hostname; echo; done`)
  assert.equal(chosen.size, 1, 'a client stays with its endpoint')
  const own = await inPod(curl(`http://${NODE}:${near?.ports?.[0]?.nodePort}/clientip`))
  assert.match([...own][0] ?? '', /^10\.244\.1\.\d+:\d+ exit 0/)

  const blocked = 'exit 28'
  const fromPod = async (url: string) => (await runInPod(machine, pod, curl(url))).out
  const other = (await client.get({ ...PODS, ...place, name: 'web-1' })).status?.podIP
  const policy: NetworkPolicy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'p' },
    spec: { podSelector: {} },
  }
  await client.create({ ...NETWORK_POLICIES, ...place }, policy)
  await waitFor(async () => (await fromPod(`http://${other}:8080/hostname`)) === blocked, { timeoutMs: 60_000 })
  assert.equal(await requested(`http://${other}:8080/hostname`), 'web-1 exit 0', 'the node itself reaches its pods')
  const rule = { from: [{ podSelector: { matchLabels: { app: 'web' } } }], ports: [{ port: 8080 }] }
  await client.patch({ ...NETWORK_POLICIES, ...place, name: 'p' }, 'merge', { spec: { ingress: [rule] } })
  await waitFor(async () => (await fromPod(`http://${other}:8080/hostname`)) === 'web-1 exit 0', { timeoutMs: 60_000 })
  assert.equal(await fromPod(`http://${other}:8081/`), blocked, 'another port')
  await client.delete({ ...NETWORK_POLICIES, ...place, name: 'p' })
  await waitFor(async () => (await fromPod(`http://${other}:8081/`)) === 'exit 7', { timeoutMs: 60_000 })

  for (const name of ['web-0', 'web-1']) await client.delete({ ...PODS, ...place, name })
  await waitFor(async () => (await requested(address)) === 'exit 7', { timeoutMs: 60_000 })
  await waitFor(async () => (await client.list({ ...PODS, ...place })).items.length === 0, { timeoutMs: 60_000 })
})

test.after(() => machine[Symbol.asyncDispose]())
