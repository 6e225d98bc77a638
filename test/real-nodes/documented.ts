/** The tests of `documented.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { answerNetworkQuestion } from '../../src/cli/answer-network-question.ts'
import { podFindings } from '../../src/cli/why/pod-findings.ts'
import { worldOf } from '../../src/machinery/network/world-of-objects.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import { CORE_EVENTS, NAMESPACES, PODS, SERVICES } from '../../src/resources/refs.ts'
import type { Pod, PodSpec, Service } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { serveRegistry } from './credentials/registry.ts'
import { findRuntime } from './found-runtime.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image, makeImages } from './make-images.ts'
import { blocksOf } from './page-blocks.ts'
import { isReady, run } from './real-pods.ts'
import { type AgentOptions, startAgent } from './start-agent.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found)
const place = { namespace: 'default' }
const NODE = 'node-1'

/** The node of a cluster without others. */
const startNode = (client: Client, options: Pick<AgentOptions, 'settings' | 'credentials'>) =>
  startAgent({ client, machine, folder, name: NODE, ips: ['192.0.2.11'], ...options })

const stateOf = async (client: Client, name: string) => {
  const { status } = await client.get({ ...PODS, ...place, name })
  return status?.containerStatuses?.[0]?.state
}

async function removed(client: Client, name: string): Promise<void> {
  await client.delete({ ...PODS, ...place, name }, { gracePeriodSeconds: 0 })
  await waitFor(async () => (await client.list({ ...PODS, ...place })).items.every(({ metadata }) => metadata.name !== name), {
    timeoutMs: 60_000,
  })
}

test('a FlexVolume driver of a few lines gives a pod what it asks for', async () => {
  const [driver = ''] = blocksOf('flexvolume.md', 'sh')
  const [manifest = ''] = blocksOf('flexvolume.md', 'yaml')
  const plugins = path.join(folder, 'flex')
  const program = path.join(plugins, 'example.com~memory', 'memory')
  mkdirSync(path.dirname(program), { recursive: true })
  writeFileSync(program, driver)
  chmodSync(program, 0o755)
  await using cluster = await startCluster({ nodes: 0 })
  const client = cluster.client()
  await using _node = startNode(client, { settings: { volumePluginDir: plugins } })
  const shown = decodeYaml(manifest).value as unknown as Pod
  const [main] = shown.spec.containers
  if (main === undefined) throw new Error('the page has no container')
  // Its size goes to the log of the container.
  const command = ['sh', '-c', 'stat -f -c "%T %b %S" /fast; sleep 1000']
  const spec = { ...shown.spec, nodeName: NODE, containers: [{ ...main, image, command }] }
  await client.create({ ...PODS, ...place }, { ...shown, spec })
  await waitFor(async () => (await stateOf(client, 'scratch'))?.running !== undefined, { timeoutMs: 60_000 })
  const mounted = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes('example.com~memory/fast'))
  assert.match(mounted.join(), /tmpfs .*size=16384k/)
  await removed(client, 'scratch')
  await waitFor(() => !readFileSync('/proc/self/mountinfo', 'utf8').includes('example.com~memory'), { timeoutMs: 30_000 })
})

test('a simulated pod reaches a pod of a real node, by address and by service; questions about both are answered', async () => {
  await using cluster = await startCluster({ nodes: 1 })
  const client = cluster.client()
  const name = 'real-1'
  await using _node = startAgent({ client, machine, folder, name, ips: ['192.0.2.11'] })
  const web = { name: 'main', image, command: ['netexec', '--http-port=8080'], ports: [{ containerPort: 8080 }] }
  const create = (pod: string, spec: PodSpec) =>
    client.create({ ...PODS, ...place }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, labels: { app: pod } }, spec })
  await create('web', { nodeName: name, terminationGracePeriodSeconds: 0, containers: [web] })
  await create('asks', { nodeName: 'node-1', containers: [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }] })
  await create('lacks', { nodeName: name, containers: [{ name: 'main', image: 'there.test/is/none:1', imagePullPolicy: 'Never' }] })
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  }
  await client.create({ ...SERVICES, ...place }, service)
  const get = (pod: string) => client.get({ ...PODS, ...place, name: pod })
  await waitFor(async () => isReady(await get('web')) && isReady(await get('asks')), { timeoutMs: 60_000 })
  const ask = async (url: string) => (await run(client, 'asks', `wget -q -T 5 -O - ${url}`)).out
  assert.equal(await ask(`http://${(await get('web')).status?.podIP}:8080/hostname`), 'web')
  await waitFor(async () => (await ask('http://web/hostname')) === 'web', { timeoutMs: 30_000 })
  assert.equal(await ask('http://192.0.2.11:10250/'), '', 'the machine itself is out of reach')

  await waitFor(async () => (await stateOf(client, 'lacks'))?.waiting !== undefined, { timeoutMs: 30_000 })
  const why = podFindings(await get('lacks'), (await client.list({ ...CORE_EVENTS, ...place })).items)
  assert.match(why.map(({ message }) => message).join(), /ErrImageNeverPull/)
  const world = worldOf({ namespaces: (await client.list(NAMESPACES)).items, pods: (await client.list(PODS)).items, policies: [] })
  const { text } = answerNetworkQuestion({ pod: 'web', from: 'asks', namespace: 'default' }, world)
  assert.match(text, /^default\/asks → default\/web, TCP 8080: allowed/)
  for (const pod of ['web', 'lacks']) await removed(client, pod)
})

test('a private image is pulled with the login of a credential provider, and with no other', async () => {
  const registry = '127.0.0.1:21501'
  const layout = path.join(folder, 'layout')
  mkdirSync(layout)
  const images = [{ names: [`${registry}/private:1`], config: { Cmd: ['sh'] } }]
  execFileSync('tar', ['x', '-C', layout], { input: await makeImages(images) })
  await serveRegistry(layout, { port: 21_501, user: 'robot:secret' })
  const binDir = path.join(folder, 'providers')
  const config = path.join(folder, 'providers.yaml')
  mkdirSync(binDir)
  const answer = (password: string) => ({
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    kind: 'CredentialProviderResponse',
    cacheKeyType: 'Registry',
    auth: { [registry]: { username: 'robot', password } },
  })
  const provide = (password: string) => {
    writeFileSync(path.join(binDir, 'known'), `#!/bin/sh\ncat > /dev/null\necho '${JSON.stringify(answer(password))}'\n`)
    chmodSync(path.join(binDir, 'known'), 0o755)
  }
  const provider = {
    name: 'known',
    matchImages: [registry],
    defaultCacheDuration: '0s',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  }
  writeFileSync(config, JSON.stringify({ apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers: [provider] }))
  provide('wrong')
  await using cluster = await startCluster({ nodes: 0 })
  const client = cluster.client()
  await using _node = startNode(client, { credentials: { config, binDir } })
  const containers = [{ name: 'main', image: `${registry}/private:1`, command: ['sleep', '1000'] }]
  await client.create(
    { ...PODS, ...place },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'private' }, spec: { nodeName: NODE, containers } },
  )
  const refused = async () =>
    (await client.list({ ...CORE_EVENTS, ...place })).items.some((e) => /401|[Uu]nauthorized|authorization/.test(e.message ?? ''))
  await waitFor(refused, { timeoutMs: 60_000 })
  provide('secret')
  await waitFor(async () => (await stateOf(client, 'private'))?.running !== undefined, { timeoutMs: 90_000 })
  await removed(client, 'private')
})

test.after(() => machine[Symbol.asyncDispose]())
