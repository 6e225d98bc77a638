/**
 * Custom resources: a thousand definitions registered, discovered cold by kubectl, and what they weigh; how soon one can be used; custom
 * objects against built-in ones. `node bench/custom.ts [definitions]`
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import https from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { kubectlPath } from '../scripts/clients.ts'
import { systemClock } from '../src/base/clock.ts'
import { startCluster } from '../src/cluster/start-cluster.ts'
import type { KubeObject } from '../src/machinery/object.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../src/resources/refs.ts'
import type { CustomResourceDefinition } from '../src/resources/types/apiextensions.ts'
import type { Client, ResourceRef } from '../src/sdk/client/client.ts'
import { createClient } from '../src/sdk/client/create-client.ts'
import { httpsTransport } from '../src/sdk/client/https.ts'
import { loadKubeconfigFile } from '../src/sdk/client/kubeconfig.ts'

const count = Number(process.argv[2] ?? 1000)
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-'))
const kubeconfig = path.join(folder, 'kubeconfig')
await using cluster = await startCluster({ parts: ['server'], ephemeral: true, port: 0, kubeconfig })
const config = await loadKubeconfigFile(kubeconfig)
await using transport = httpsTransport(config, { clock: systemClock })
const client = createClient(transport)

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' }

function definition(i: number): CustomResourceDefinition {
  const group = `g${i % 50}.bench.example.com`
  const spec = {
    type: 'object',
    properties: {
      color: { type: 'string', maxLength: 20 },
      size: { type: 'integer', minimum: 0, default: 1 },
      tags: { type: 'array', items: { type: 'string' } },
      data: { type: 'object', additionalProperties: { type: 'string' } },
    },
  }
  const status = {
    type: 'object',
    properties: {
      phase: { type: 'string' },
      conditions: { type: 'array', items: { type: 'object', properties: { type: { type: 'string' }, status: { type: 'string' } } } },
    },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things${i}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: `things${i}`, singular: `thing${i}`, kind: `Thing${i}`, listKind: `Thing${i}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        },
      ],
    },
  }
}

const ms = (from: number) => `${(performance.now() - from).toFixed(1)} ms`
const memory = () => {
  globalThis.gc?.()
  return process.memoryUsage().rss / 2 ** 20
}

const before = memory()
let start = performance.now()
const WORKERS = 16
let next = 0
await Promise.all(
  Array.from({ length: WORKERS }, async () => {
    for (let i = next++; i < count; i = next++) await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition(i))
  }),
)
console.log(`${count} definitions registered: ${ms(start)}`)

start = performance.now()
const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder }
const { stdout } = await promisify(execFile)(kubectlPath(), ['api-resources', '-o', 'name'], { env, maxBuffer: 2 ** 26 })
const listed = stdout.split('\n')
console.log(`discovered cold by kubectl: ${ms(start)} (${listed.length - 1} resources)`)
console.log(`memory: ${Math.round(memory() - before)} MB more than before (this process holds the server and the client)`)

// How soon after its POST a definition is served, established and explained.
const usable: number[] = []
for (let i = 0; i < 20; i++) {
  const from = performance.now()
  const crd = definition(count + i)
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, crd)
  await client.list({ group: crd.spec.group, version: 'v1', resource: crd.spec.names.plural, namespace: 'default' })
  for (;;) {
    const { status } = await client.get({ ...CUSTOM_RESOURCE_DEFINITIONS, name: crd.metadata.name ?? '' })
    if (status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True')) break
  }
  await get(`/openapi/v3/apis/${crd.spec.group}/v1`)
  usable.push(performance.now() - from)
}
console.log(`usable (listed, Established, explained) after its POST: median ${median(usable).toFixed(1)} ms`)

const custom: ResourceRef = { group: 'g0.bench.example.com', version: 'v1', resource: 'things0' }
const thing = (i: number) => ({
  apiVersion: 'g0.bench.example.com/v1',
  kind: 'Thing0',
  metadata: { name: `o${i}`, namespace: 'default' },
  spec: { color: 'blue', size: i },
})
const map = (i: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `o${i}`, namespace: 'default' },
  data: { color: 'blue', size: String(i) },
})
for (let round = 0; round < 4; round++) {
  const [a, b] = [await measure(client, custom, thing), await measure(client, CONFIG_MAPS, map)]
  if (round < 3) continue
  for (const what of ['create', 'get', 'list'] as const)
    console.log(`${what}: custom ${a[what].toFixed(3)} ms, built-in ${b[what].toFixed(3)} ms, ratio ${(a[what] / b[what]).toFixed(2)}`)
}
rmSync(folder, { recursive: true, force: true })

async function measure(client: Client, ref: ResourceRef, make: (i: number) => KubeObject) {
  const target = { ...ref, namespace: 'default' }
  const each = 400
  const create = await timed(each, (i) => client.create(target, make(i)))
  const get = await timed(each, (i) => client.get({ ...target, name: `o${i}` }))
  const list = await timed(30, () => client.list(target))
  await client.deleteCollection(target)
  return { create, get, list }
}

async function timed(times: number, run: (i: number) => Promise<unknown>): Promise<number> {
  const from = performance.now()
  for (let i = 0; i < times; i++) await run(i)
  return (performance.now() - from) / times
}

function median(list: number[]): number {
  return list.sort((a, b) => a - b)[list.length >> 1] ?? 0
}

function get(place: string): Promise<void> {
  const { ca, cert, key } = config
  return new Promise((resolve, reject) => {
    https
      .get(cluster.address + place, { ca, cert, key, headers: { accept: 'application/json' } }, (r) =>
        r.resume().on('end', () => resolve()),
      )
      .on('error', reject)
  })
}
