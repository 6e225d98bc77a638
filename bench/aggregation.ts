/**
 * What it costs that another server answers: GETs and watches through the proxy, beside the server's own, in one run. The extension server
 * lives in this process.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { openCertificates } from '../src/cluster/certificates.ts'
import { openApi, percentile, pump } from './api.ts'
import { startProcess, stopProcess } from './cluster-measures.ts'
import { cpuUs } from './cpu-per-op.ts'
import { namespace, type Result } from './measures.ts'

const CLIENTS = 64
const WARM = 3_000
const COUNTED = 10_000
const ROUNDS = 3
const WATCHES = 10_000
const GROUP = '/apis/bench.example.com/v1'

const object = (i: number) =>
  JSON.stringify({
    apiVersion: 'bench.example.com/v1',
    kind: 'Thing',
    metadata: { name: 'one', namespace: 'x' },
    i,
    data: 'y'.repeat(1000),
  })

/** Answers everything under its group with one object; who watches gets a line each time that `tell` is called. */
async function openGuest() {
  const { serving } = await openCertificates({ folder: undefined, serviceCidr: '10.96.0.0/12' }, { clock: systemClock })
  const watchers = new Set<http2.ServerHttp2Stream>()
  const server = http2.createSecureServer({ cert: serving.certificate, key: serving.key })
  server.on('stream', (stream: http2.ServerHttp2Stream, headers) => {
    stream.on('error', () => {})
    stream.respond({ ':status': 200, 'content-type': 'application/json' })
    if (!String(headers[':path']).includes('watch=')) return void stream.end(object(0))
    watchers.add(stream)
    stream.on('close', () => watchers.delete(stream))
    stream.write('\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    tell: () => {
      for (const stream of watchers) stream.write(`{"type":"MODIFIED","object":${object(1)}}\n`)
    },
    close: () => server.close(),
  }
}

async function register(api: Awaited<ReturnType<typeof openApi>>, port: number): Promise<void> {
  const annotations = { 'bowsprit.dev/local-port': String(port) }
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'guest', annotations }, spec: { ports: [{ port: 443 }] } }
  await api.request('POST', '/api/v1/namespaces/default/services', JSON.stringify(service))
  const spec = {
    group: 'bench.example.com',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name: 'guest' },
  }
  const registered = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name: 'v1.bench.example.com' }, spec }
  await api.request('POST', '/apis/apiregistration.k8s.io/v1/apiservices', JSON.stringify(registered))
  while ((await api.request('GET', `${GROUP}/namespaces/x/things/one`)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 50))
}

export async function aggregation(): Promise<Result[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-bench-aggregation-'))
  const guest = await openGuest()
  const started = await startProcess(folder, '--parts', 'server')
  try {
    using api = await openApi(started.kubeconfig, 40)
    await register(api, guest.port)
    const ns = await namespace(api, 'bench')
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: 'y'.repeat(1000) } }
    await api.request('POST', `${ns}/configmaps`, JSON.stringify(map))
    const urls = { own: `${ns}/configmaps/one`, proxied: `${GROUP}/namespaces/x/things/one` }
    const each = { own: [] as number[], proxied: [] as number[] }
    const cpu = { own: 0, proxied: 0 }
    const totalMs = { own: 0, proxied: 0 }
    const pid = started.child.pid ?? 0
    for (const kind of ['own', 'proxied'] as const) await pump(WARM, CLIENTS, () => api.request('GET', urls[kind]))
    // In turns, so that a slow moment of the machine is in both.
    for (let round = 0; round < ROUNDS; round++)
      for (const kind of ['own', 'proxied'] as const) {
        const before = cpuUs(pid)
        const run = await pump(COUNTED, CLIENTS, () => api.request('GET', urls[kind]))
        cpu[kind] += cpuUs(pid) - before
        totalMs[kind] += run.totalMs
        each[kind].push(...run.each)
      }
    const all = ROUNDS * COUNTED
    const line = (kind: 'own' | 'proxied') =>
      `${Math.round((all / totalMs[kind]) * 1000)}/s, p50 ${percentile(each[kind], 0.5).toFixed(2)} ms, ${Math.round(cpu[kind] / all)} µs CPU`
    const value = `${line('proxied')}; own GET ${line('own')}`
    return [
      { measure: 'proxied GET, 64 clients, guest and clients in one process', value, aim: '≥ 8,000/s, ≤ 0.5 ms more', upstream: '–' },
      await watches(api, guest.tell),
    ]
  } finally {
    await stopProcess(started)
    guest.close()
    rmSync(folder, { recursive: true })
  }
}

async function watches(api: Awaited<ReturnType<typeof openApi>>, tell: () => void): Promise<Result> {
  let lines = 0
  let wanted = WATCHES
  let reached = () => {}
  const streams: { close(): void }[] = []
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      wanted = count
      reached = resolve
      if (lines >= wanted) resolve()
    })
  const begun = performance.now()
  for (let i = 0; i < WATCHES; i++)
    streams.push(
      api.stream(`${GROUP}/namespaces/x/things?watch=true`, (bytes) => {
        for (const byte of bytes) if (byte === 10) lines++
        if (lines >= wanted) reached()
      }),
    )
  await until(WATCHES)
  const opened = performance.now() - begun
  tell()
  await until(2 * WATCHES)
  const reported = performance.now() - begun - opened
  for (const stream of streams) stream.close()
  return {
    measure: '10,000 watches through the proxy',
    value: `open in ${Math.round(opened)} ms, one event to all in ${Math.round(reported)} ms`,
    aim: 'all of them',
    upstream: '–',
  }
}
