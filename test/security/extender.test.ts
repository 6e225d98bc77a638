/**
 * Scheduler extenders that hang, lie, and answer without end: the pods that need them wait with a reason of bounded length, others are
 * scheduled, and the scheduler goes on.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { NODES, PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { LONGEST_MESSAGE } from '../../src/scheduler/framework/short-text.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const RESOURCE = 'evil.example.com/thing'
const IN_DEFAULT = { ...PODS, namespace: 'default' }

let cluster: Cluster
let server: http.Server
let deaths = 0
/** Answers one call. */
let answer: (verb: string, request: JsonObject, response: ServerResponse) => void

before(async () => {
  server = http.createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += String(part)
    answer(request.url?.slice(1) ?? '', JSON.parse(text) as JsonObject, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const extender = {
    urlPrefix: `http://127.0.0.1:${port}/`,
    filterVerb: 'filter',
    prioritizeVerb: 'prioritize',
    bindVerb: 'bind',
    weight: 1,
    nodeCacheCapable: true,
    httpTimeout: '3s',
    managedResources: [{ name: RESOURCE, ignoredByScheduler: true }],
  }
  cluster = await startCluster(
    { nodes: 2, schedulerConfig: { extenders: [extender], podInitialBackoffSeconds: 60, podMaxBackoffSeconds: 60 } },
    { partDied: () => void deaths++ },
  )
  await waitFor(
    async () => {
      const { items } = await cluster.client().list(NODES)
      return items.length === 2 && items.every((node) => (node.spec?.taints ?? []).length === 0)
    },
    { what: 'the nodes are ready' },
  )
})
after(async () => {
  server.closeAllConnections()
  server.close()
  await cluster[Symbol.asyncDispose]()
})

const podOf = (name: string, resources: JsonObject = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'app', resources }] },
})

const scheduledOf = async (name: string) => {
  const pod = await cluster.client().get({ ...IN_DEFAULT, name })
  return pod.status?.conditions?.find((c) => c.type === 'PodScheduled')
}

const json = (response: ServerResponse, value: unknown) => response.end(JSON.stringify(value))
const names = (request: JsonObject) => request.NodeNames as string[]

const bindingOf = (name: string, node: string) => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name },
  target: { kind: 'Node', name: node },
})

type Row = readonly [what: string, play: typeof answer, outcome: 'bound' | RegExp]

/** Answers what is right to all but one verb. */
const only =
  (evil: string, play: (response: ServerResponse, request: JsonObject) => void): typeof answer =>
  (verb, request, response) => {
    if (verb === evil) return play(response, request)
    if (verb === 'filter') return json(response, { NodeNames: names(request) })
    if (verb === 'prioritize')
      return json(
        response,
        names(request).map((Host) => ({ Host, Score: 1 })),
      )
    void cluster
      .client()
      .create<KubeObject>(
        { ...IN_DEFAULT, name: String(request.PodName), subresource: 'binding' },
        bindingOf(String(request.PodName), String(request.Node)),
      )
      .then(() => json(response, {}))
  }

const rows: readonly Row[] = [
  ['answers as it should', only('', () => {}), 'bound'],
  ['never answers', only('filter', () => {}), /context deadline exceeded/],
  [
    'drips its answer without end',
    only('filter', (response) => {
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    }),
    /context deadline exceeded|context cancellation/,
  ],
  ['answers what is no JSON', only('filter', (response) => response.end('<html>')), /invalid character/],
  ['answers 30 MB of brackets', only('filter', (response) => response.end('['.repeat(30_000_000))), /./],
  ['keeps nodes that nobody asked about', only('filter', (response) => json(response, { NodeNames: ['__proto__', 'x'] })), /__proto__/],
  [
    'keeps 300,000 nodes',
    only('filter', (response) => json(response, { NodeNames: Array.from({ length: 300_000 }, (_, i) => `node-${i}`) })),
    /is not found in the input node list/,
  ],
  [
    'gives reasons of ten megabytes',
    only('filter', (response, request) =>
      json(response, { NodeNames: [], FailedNodes: Object.fromEntries(names(request).map((n, i) => [n, `${i}${'x'.repeat(5_000_000)}`])) }),
    ),
    /0\/2 nodes are available/,
  ],
  ['fails with ten megabytes', only('filter', (response) => json(response, { Error: 'y'.repeat(10_000_000) })), /y{100}/],
  [
    'scores beyond all numbers, and hosts that are none',
    only('prioritize', (response, request) =>
      json(response, [
        ...names(request).map((Host) => ({ Host, Score: 9_007_199_254_740_991 })),
        ...Array.from({ length: 100_000 }, (_, i) => ({ Host: i % 2 ? '__proto__' : `h${i}`, Score: -1 })),
      ]),
    ),
    'bound',
  ],
  ['scores in words', only('prioritize', (response) => json(response, [{ Host: 'node-1', Score: 'much' }])), 'bound'],
  [
    'redirects to itself',
    only('filter', (response) => response.writeHead(307, { location: '/filter' }).end()),
    /stopped after 10 redirects/,
  ],
  ['hangs up', only('filter', (response) => response.destroy()), /EOF/],
  ['does not bind, and says so at length', only('bind', (response) => json(response, { Error: 'z'.repeat(5_000_000) })), /z{100}/],
]

for (const [i, [what, play, outcome]] of rows.entries())
  test(`an extender that ${what}`, { timeout: 60_000 }, async () => {
    answer = play
    const client = cluster.client()
    await client.create(IN_DEFAULT, podOf(`evil-${i}`, { limits: { [RESOURCE]: '1' } }))
    await client.create(IN_DEFAULT, podOf(`plain-${i}`))
    await waitFor(async () => (await scheduledOf(`plain-${i}`))?.status === 'True', {
      what: 'the plain pod is scheduled',
      timeoutMs: 10_000,
    })
    await waitFor(async () => (await scheduledOf(`evil-${i}`)) !== undefined, { what: 'the other one is decided', timeoutMs: 10_000 })
    const { status, message = '' } = (await scheduledOf(`evil-${i}`)) ?? {}
    if (outcome === 'bound') assert.equal(status, 'True', message.slice(0, 300))
    else {
      assert.equal(status, 'False')
      assert.match(message, outcome)
      assert.ok(message.length <= LONGEST_MESSAGE, `${message.length} characters`)
    }
    assert.equal(deaths, 0)
    await client.delete({ ...IN_DEFAULT, name: `evil-${i}` }, { gracePeriodSeconds: 0 })
  })
