/**
 * Drivers of dynamic resource allocation that send invalid data, flood, hang, and die at any time: each fault is contained and reported,
 * and another driver is not affected.
 */

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { untilAborted } from '../../src/base/on-abort.ts'
import { MOST_HEALTH_ENTRIES } from '../../src/node/allocation/claims/drivers/device-health.ts'
import { MOST_PREPARED } from '../../src/node/allocation/claims/plan-claims.ts'
import { NODES, RESOURCE_CLAIMS } from '../../src/resources/refs.ts'
import type { ResourceClaim } from '../../src/resources/types/resource.ts'
import { serveDraDriver } from '../../src/sdk/dra-plugin/public.ts'
import { answer, serveUnix, tell } from '../../src/sdk/grpc/serve-unix.ts'
import { DRA_HEALTH, DRA_PLUGIN, type NodePrepareResourcesResponse, type ReportedHealth } from '../../src/sdk/node-api/dra-plugin.ts'
import { PLUGIN_REGISTRATION } from '../../src/sdk/node-api/plugin-registration.ts'
import { type DeviceNode, openDeviceNode } from '../../src/testing/device-plugin-trial/trial-node.ts'

const [GOOD, EVIL] = ['good.example.com', 'evil.example.com']

interface Hostile {
  readonly name?: string
  readonly versions?: readonly string[]
  prepare?(uid: string): Promise<NodePrepareResourcesResponse> | NodePrepareResourcesResponse
  health?(signal: AbortSignal): AsyncIterable<{ readonly devices: readonly ReportedHealth[] }>
}

/** Serves it; returns the node's response to its registration. */
async function serveHostile(node: DeviceNode, hostile: Hostile) {
  const answers: string[] = []
  const { name = EVIL, versions = ['v1.DRAPlugin'] } = hostile
  const idle = async function* (signal: AbortSignal) {
    await untilAborted(signal)
    yield { devices: [] }
  }
  const server = await serveUnix(
    path.join(node.folders.registry, 'evil-reg.sock'),
    [
      answer(PLUGIN_REGISTRATION.getInfo, () => ({ type: 'DRAPlugin', name, endpoint: '', supportedVersions: versions })),
      answer(PLUGIN_REGISTRATION.notifyRegistrationStatus, ({ pluginRegistered, error }) => {
        answers.push(pluginRegistered ? 'taken' : error)
        return {}
      }),
      answer(DRA_PLUGIN['v1.DRAPlugin'].prepare, ({ claims }) => hostile.prepare?.(claims[0]?.uid ?? '') ?? { claims: new Map() }),
      answer(DRA_PLUGIN['v1.DRAPlugin'].unprepare, ({ claims }) => ({ claims: new Map(claims.map((c) => [c.uid, { error: '' }])) })),
      tell(DRA_HEALTH.watch, (_, signal) => (hostile.health ?? idle)(signal)),
    ],
    { clock: systemClock },
  )
  await node.until('the node has answered', () => answers.length > 0)
  return { answers, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** A pod with an allocated claim of the same name, of that driver. */
async function podWithClaim(node: DeviceNode, name: string, driver: string): Promise<void> {
  const target = { ...RESOURCE_CLAIMS, namespace: 'default' }
  const requests = [{ name: 'card', exactly: { deviceClassName: 'any' } }]
  const claim: ResourceClaim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name },
    spec: { devices: { requests } },
  }
  await node.client.create(target, claim)
  const results = [{ request: 'card', driver, pool: 'node-1', device: 'd' }]
  await node.client.patch({ ...target, name, subresource: 'status' }, 'merge', { status: { allocation: { devices: { results } } } })
  await node.create(name, {
    nodeName: null,
    resourceClaims: [{ name: 'card', resourceClaimName: name }],
    containers: [{ name: 'main', image: 'app', resources: { claims: [{ name: 'card' }] } }],
  })
  const { metadata } = await node.pod(name)
  const reservedFor = [{ resource: 'pods', name, uid: metadata.uid ?? '' }]
  await node.client.patch({ ...target, name, subresource: 'status' }, 'merge', { status: { reservedFor } })
  const pod = { group: '', version: 'v1', resource: 'pods', namespace: 'default', name }
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'node-1' } }
  await node.client.create({ ...pod, subresource: 'binding' }, binding)
}

const reported = (node: DeviceNode, of: string, reason: string, words: RegExp) =>
  node.until(`an event ${reason} of ${of} with ${words}`, async () =>
    (await node.events(of)).some((e) => e.reason === reason && words.test(String(e.message))),
  )

const FAILED = 'FailedPrepareDynamicResources'
type Row = readonly [name: string, play: (node: DeviceNode) => Promise<void>]

const device = (cdiDeviceIds: readonly string[]) => ({ requestNames: [], poolName: 'node-1', deviceName: 'd', cdiDeviceIds, shareId: '' })

const rows: readonly Row[] = [
  [
    'versions that nobody knows, and many of them',
    async (node) => {
      const versions = Array.from({ length: 10_000 }, (_, i) => `v9.Plugin${i}`)
      await using evil = await serveHostile(node, { versions })
      assert.match(
        evil.answers[0] ?? '',
        /^RegisterPlugin error -- plugin validation failed with err: invalid supported gRPC versions of DRA driver plugin evil.example.com/,
      )
      assert.ok((evil.answers[0] ?? '').length < 2000)
    },
  ],
  [
    'no name of a driver',
    async (node) => {
      await using evil = await serveHostile(node, { name: 'X'.repeat(100_000) })
      assert.match(evil.answers[0] ?? '', /is no name of a driver$/)
      assert.ok((evil.answers[0] ?? '').length < 2000)
    },
  ],
  [
    'an answer of 5 MiB',
    async (node) => {
      await using _ = await serveHostile(node, {
        prepare: (uid) => ({ claims: new Map([[uid, { devices: [], error: 'x'.repeat(5 * 1024 * 1024) }]]) }),
      })
      await podWithClaim(node, 'big', EVIL)
      await reported(node, 'big', FAILED, /NodePrepareResources: rpc error: code = ResourceExhausted/)
      await reported(node, 'node-1', 'DRADriverFails', /the driver evil.example.com does not answer NodePrepareResources for default\/big/)
    },
  ],
  [
    'a refusal of a million characters is cut',
    async (node) => {
      await using _ = await serveHostile(node, {
        prepare: (uid) => ({ claims: new Map([[uid, { devices: [], error: 'no '.repeat(333_333) }]]) }),
      })
      await podWithClaim(node, 'long', EVIL)
      await reported(node, 'long', FAILED, /NodePrepareResources failed for ResourceClaim long: no no/)
    },
  ],
  [
    'more devices than a claim may have, and names that are none',
    async (node) => {
      let devices = Array.from({ length: MOST_PREPARED.devices + 1 }, () => device(['a.com/b=c']))
      await using _ = await serveHostile(node, { prepare: (uid) => ({ claims: new Map([[uid, { devices, error: '' }]]) }) })
      await podWithClaim(node, 'many', EVIL)
      await reported(node, 'many', FAILED, new RegExp(`${devices.length} devices, and may with ${MOST_PREPARED.devices}`))
      devices = [device(['../../etc/shadow'])]
      await podWithClaim(node, 'paths', EVIL)
      await reported(node, 'paths', FAILED, /a CDI device with the name "..\/..\/etc\/shadow"/)
    },
  ],
  [
    'it answers for claims that it was not asked about',
    async (node) => {
      await using _ = await serveHostile(node, {
        prepare: () => ({ claims: new Map([['elsewhere', { devices: [device([])], error: '' }]]) }),
      })
      await podWithClaim(node, 'other', EVIL)
      await reported(node, 'other', FAILED, /returned result for unknown claim UID elsewhere/)
    },
  ],
  [
    'it dies in the middle, and what the pod may hold is given back when it is there again',
    async (node) => {
      let requested = 0
      const hang = () => {
        requested++
        return new Promise<never>(() => {})
      }
      const evil = await serveHostile(node, { prepare: hang })
      await podWithClaim(node, 'dies', EVIL)
      await node.until('it was asked', () => requested > 0)
      await evil[Symbol.asyncDispose]()
      await reported(node, 'dies', FAILED, /NodePrepareResources: rpc error: code = (Unavailable|Canceled|Internal)|is not registered/)
      await node.delete('dies')
      await using _ = await serveHostile(node, {})
    },
  ],
  [
    'health of more devices than anybody has',
    async (node) => {
      const devices = Array.from({ length: MOST_HEALTH_ENTRIES + 5 }, (_, i) => ({
        device: { poolName: 'p', deviceName: `d${i}` },
        health: 1,
        lastUpdatedTime: 0,
        healthCheckTimeoutSeconds: 0,
        message: '',
      }))
      await using _ = await serveHostile(node, {
        async *health() {
          yield { devices }
        },
      })
      await reported(node, 'node-1', 'DRADriverFloods', /the driver evil.example.com tells of 10005 devices/)
    },
  ],
  [
    'health a thousand times a second',
    async (node) => {
      await using _ = await serveHostile(node, {
        async *health(signal) {
          while (!signal.aborted) yield { devices: [] }
        },
      })
      await reported(node, 'node-1', 'DRADriverFloods', /more often than/)
    },
  ],
  [
    'a socket that speaks something else, and a file that is none',
    async (node) => {
      const server = net.createServer((socket) => socket.on('error', () => {}).end('220 smtp.example.com ready\r\n'))
      await new Promise<void>((resolve) => server.listen(path.join(node.folders.registry, 'smtp-reg.sock'), resolve))
      writeFileSync(path.join(node.folders.registry, 'file-reg.sock'), 'no socket')
      await systemClock.sleep(200)
      server.close()
    },
  ],
]

test('hostile drivers are contained and reported, and a correct one is not affected', { timeout: 280_000 }, async (t) => {
  await using node = await openDeviceNode()
  await node.client.patch({ ...NODES, name: 'node-1' }, 'merge', { spec: { taints: null } })
  await using good = await serveDraDriver(
    { name: GOOD, discover: () => [{ name: 'd' }], prepare: ({ devices }) => devices.map((d) => ({ ...d, cdi: [] })) },
    { client: node.client, nodeName: 'node-1', folder: node.folder },
  )
  await Promise.all([good.registered, good.published])
  for (const [i, [name, play]] of rows.entries()) {
    await t.test(name, async () => {
      await play(node)
      await podWithClaim(node, `good-${i}`, GOOD)
      await node.phase(`good-${i}`, 'Running')
    })
  }
})
