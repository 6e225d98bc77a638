import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { DEFAULT_MACHINE } from '../status/node-object.ts'
import type { Pod } from '../types/pod.ts'
import { kubeletApiConfig } from './configuration.ts'
import { createKubeletApi } from './kubelet-api.ts'
import type { KubeletHost } from './kubelet-host.ts'

const MASTER = { name: 'master', groups: ['system:masters'] }
const ref = { uid: 'u', name: 'one', namespace: 'default' }

/** A node with one pod, whose commands and logs last until their client disconnects, and are counted. */
function open(written: JsonObject = {}, measured: Pick<KubeletHost, 'machineUse'> = {}) {
  let active = 0
  let started = 0
  const untilGone = async (signal: AbortSignal) => {
    active++
    started++
    if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    active--
  }
  const runtime = {
    containers: async () => [{ id: 'c', sandboxId: 's', pod: ref, name: 'main', state: 'running', attempt: 0 }],
    sandboxes: async () => [{ id: 's', pod: ref, state: 'ready', ips: ['10.0.0.1'], createdAtMs: 0 }],
    stats: async () => [{ containerId: 'c', pod: ref, name: 'main', atMs: 0, cpuNanoseconds: 1, memoryBytes: 2 }],
    async exec(_id: string, _command: unknown, streams: { stdin?: AsyncIterable<Uint8Array> }, signal: AbortSignal) {
      void (async () => {
        for await (const _ of streams.stdin ?? []);
      })().catch(() => {})
      await untilGone(signal)
      return { exitCode: 0 }
    },
  } as unknown as Runtime
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: ref, spec: { containers: [{ name: 'main', image: 'app' }] }, status: {} }
  const host: KubeletHost = {
    nodeName: 'n',
    machine: DEFAULT_MACHINE,
    ids: { machineId: 'm', bootId: 'b' },
    runtime,
    pods: () => [pod],
    async *logs(_pod, _container, _query, signal) {
      yield 'first\n'
      await untilGone(signal)
    },
    alive: () => true,
    ...measured,
  }
  const client = {
    create: async (_target: unknown, object: JsonObject) => ({ ...object, status: {} }),
  } as unknown as Client
  const api = createKubeletApi(kubeletApiConfig(written), { host, client, clock: systemClock, log: silentLogger, version: 'v1.36.3' })
  return {
    api,
    get active() {
      return active
    },
    get started() {
      return started
    },
  }
}

/** Reads until the other side ends. */
async function readAll(connection: Duplex): Promise<string> {
  let text = ''
  for await (const part of connection) text += part
  return text
}

async function get(connection: Duplex, path: string, method = 'GET'): Promise<string> {
  connection.write(`${method} ${path} HTTP/1.1\r\nHost: n\r\nConnection: close\r\n\r\n`)
  return readAll(connection)
}

async function until(done: () => boolean): Promise<void> {
  for (let i = 0; i < 10_000 && !done(); i++) await turn()
  assert.ok(done())
}

const frame = (channel: number, text: string) => {
  const payload = Buffer.concat([Buffer.of(channel), Buffer.from(text)])
  return Buffer.concat([Buffer.of(0x82, 0x80 | payload.length, 0, 0, 0, 0), payload])
}
const EXEC = Buffer.concat([
  Buffer.from(
    [
      'GET /exec/default/one/main?command=x&input=1&output=1 HTTP/1.1',
      'Host: n',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: v5.channel.k8s.io',
      '\r\n',
    ].join('\r\n'),
  ),
  frame(0, 'hello'),
  frame(255, '\0'),
])

test('a stream that is cut at any byte leaves nothing behind', async () => {
  const node = open()
  for (let at = 0; at <= EXEC.length; at++) {
    const connection = node.api.connect(MASTER)
    connection.on('error', () => {})
    connection.write(EXEC.subarray(0, at))
    await turn()
    await turn()
    connection.destroy()
  }
  await until(() => node.active === 0)
  assert.ok(node.started > 0)
  await node.api[Symbol.asyncDispose]()
})

test('followers of a log end with their clients, and with the server', async () => {
  const node = open()
  const connections = Array.from({ length: 500 }, () => node.api.connect(MASTER))
  for (const connection of connections) {
    connection.on('error', () => {})
    connection.resume()
    connection.write('GET /containerLogs/default/one/main?follow=true HTTP/1.1\r\nHost: n\r\n\r\n')
  }
  await until(() => node.active === 500)
  for (const connection of connections.slice(0, 300)) connection.destroy()
  await until(() => node.active === 200)
  await node.api[Symbol.asyncDispose]()
  await until(() => node.active === 0)
})

test('without its debugging handlers a kubelet serves health, pods and figures alone', async () => {
  const node = open({ enableDebuggingHandlers: false })
  const line = async (path: string, method?: string) => (await get(node.api.connect(MASTER), path, method)).split('\r\n')[0]
  assert.equal(await line('/healthz'), 'HTTP/1.1 200 OK')
  assert.equal(await line('/pods'), 'HTTP/1.1 200 OK')
  assert.equal(await line('/metrics/resource'), 'HTTP/1.1 200 OK')
  assert.match(
    await get(node.api.connect(MASTER), '/exec/default/one/main', 'POST'),
    /405 Method Not Allowed[\s\S]*Debug endpoints are disabled\.\n$/,
  )
  assert.equal(await line('/configz'), 'HTTP/1.1 404 Not Found')
})

test('a disabled endpoint responds that it is disabled', async () => {
  const node = open({ enableSystemLogHandler: false, enableDebugFlagsHandler: false, enableProfilingHandler: false })
  const body = async (path: string) => (await get(node.api.connect(MASTER), path)).split('\r\n\r\n')[1]
  assert.equal(await body('/logs/'), 'logs endpoint is disabled.\n')
  assert.equal(await body('/debug/flags/v'), 'flags endpoint is disabled.\n')
  assert.equal(await body('/debug/pprof/heap'), 'profiling endpoint is disabled.\n')
})

test('options of a log', async () => {
  const node = open()
  const code = async (query: string) =>
    Number((await get(node.api.connect(MASTER), `/containerLogs/default/one/main?${query}`)).slice(9, 12))
  for (const [query, wanted] of [
    ['tailLines=x', 400],
    ['sinceTime=yesterday', 400],
    ['tailLines=-1', 422],
    ['limitBytes=0', 422],
    ['sinceSeconds=0', 422],
    ['sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z', 422],
    ['tailLines=', 400],
    ['stream=Stdout', 400],
    ['stream=stdout', 422],
    ['stream=Stdout&tailLines=1', 422],
  ] as const)
    assert.equal(await code(query), wanted, query)
  assert.match(await get(node.api.connect(MASTER), '/containerLogs/default/none/main'), /404 [\s\S]*pod "none" does not exist$/)
  assert.match(
    await get(node.api.connect(MASTER), '/containerLogs/default/one/none'),
    /404 [\s\S]*container "none" not found in pod "one"$/,
  )
})

test('figures of a machine that is measured: file systems, networks, memory, processes; nothing is made up', async () => {
  const disk = (usedBytes: number) => ({ capacityBytes: 100, availableBytes: 50, usedBytes, inodes: 10, inodesFree: 5, inodesUsed: 1 })
  const card = (rxBytes: number) => ({ name: 'ens3', rxBytes, rxErrors: 0, txBytes: 0, txErrors: 0 })
  const memory = { workingSetBytes: 3, availableBytes: 7, usageBytes: 4, residentBytes: 2, pageFaults: 0, majorPageFaults: 0 }
  const disks = { disk: disk(1), images: disk(2), layers: disk(3) }
  const nodeUse = { cpuNanoseconds: 9, memory, networks: [card(1)], ...disks, processes: { most: 99, present: 11 } }
  const containers = new Map([['main', { layer: disk(4), logs: disk(5) }]])
  const pods = new Map([['u', { networks: [card(6)], processes: 2, containers, ephemeral: disk(7) }]])
  const node = open({}, { machineUse: async () => ({ node: nodeUse, pods }) })
  const body = async (path: string) => (await get(node.api.connect(MASTER), path)).split('\r\n\r\n')[1] ?? ''
  // The body is one chunk.
  const shown = JSON.parse(/\{[\s\S]*\}/.exec(await body('/stats/summary'))?.[0] ?? '')
  assert.deepEqual(
    [shown.node.fs.usedBytes, shown.node.runtime.imageFs.usedBytes, shown.node.runtime.containerFs.usedBytes, shown.node.rlimit.curproc],
    [1, 2, 3, 11],
  )
  assert.deepEqual([shown.node.network.rxBytes, shown.node.memory.usageBytes, shown.node.cpu.usageCoreNanoSeconds], [1, 4, 9])
  const [pod] = shown.pods
  assert.deepEqual(pod.network.interfaces, [card(6)])
  const [main] = pod.containers
  assert.deepEqual(
    [main.rootfs.usedBytes, main.logs.usedBytes, pod['ephemeral-storage'].usedBytes, pod.process_stats.process_count],
    [4, 5, 7, 2],
  )
  const metrics = await body('/metrics/cadvisor')
  assert.match(metrics, /container_network_receive_bytes_total\{[^}]*interface="ens3"[^}]*pod="one"[^}]*\} 6/)
  assert.doesNotMatch(metrics, /container_network_receive_packets_total|container_tasks_state/)
  await node.api[Symbol.asyncDispose]()
})
