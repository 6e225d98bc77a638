/** The tests of `documented.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemRandom } from '../../src/base/random.ts'
import { runRealNode } from '../../src/cluster/nodes/run-real-node.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import { CORE_EVENTS, PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { serveRegistry } from './credentials/registry.ts'
import { findRuntime } from './found-runtime.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image, makeImages } from './make-images.ts'
import { blocksOf } from './page-blocks.ts'
import { writeKubeletConfig } from './start-agent.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found)
const place = { namespace: 'default' }
const NODE = 'node-1'

/** The node of a cluster without others. */
function startNode(client: Client, options: { readonly settings?: object; readonly credentials?: object }): AsyncDisposable {
  const stop = new AbortController()
  const node = {
    name: NODE,
    ips: ['192.0.2.11'],
    runtimeEndpoint: machine.endpoint,
    kubeletConfig: writeKubeletConfig(folder, machine, options.settings),
    network: { serviceProxy: false, dns: false, policies: false, clusterCidrs: [] },
    ...options.credentials,
  }
  const running = runRealNode(node, { client, clock: systemClock, random: systemRandom(), log: silentLogger }, stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

const stateOf = async (client: Client, name: string) => {
  const { status } = await client.get({ ...PODS, ...place, name })
  return status?.containerStatuses?.[0]?.state
}

async function removed(client: Client, name: string): Promise<void> {
  await client.delete({ ...PODS, ...place, name }, { gracePeriodSeconds: 0 })
  await waitFor(async () => (await client.list({ ...PODS, ...place })).items.length === 0, { timeoutMs: 60_000 })
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
  await using _node = startNode(client, { credentials: { credentials: { config, binDir } } })
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
