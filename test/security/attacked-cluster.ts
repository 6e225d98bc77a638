/** A cluster with an open port, and connections to it that are written by hand: what no client's library would send. */
import assert from 'node:assert/strict'
import tls from 'node:tls'
import type { Logger } from '../../src/base/logger.ts'
import type { Cluster, ClusterDeps } from '../../src/cluster/cluster.ts'
import type { ClusterOptions } from '../../src/cluster/cluster-options.ts'
import { loadKubeconfig } from '../../src/sdk/client/kubeconfig.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

export interface AttackedCluster extends AsyncDisposable {
  readonly cluster: Cluster
  readonly address: URL
  readonly access: { readonly ca: string; readonly cert: string; readonly key: string }
  /** What the server has logged as an error: an attack must not fill its log. */
  readonly errors: readonly string[]
  /** A TLS connection with the administrator's certificate. */
  connect(): Promise<tls.TLSSocket>
}

export async function openAttackedCluster(options: ClusterOptions = {}, deps: ClusterDeps = {}): Promise<AttackedCluster> {
  const errors: string[] = []
  const cluster = await startCluster(options, { ...deps, log: errorLog(errors) })
  const address = new URL(await cluster.listen())
  const { ca = '', cert = '', key = '' } = await loadKubeconfig(cluster.kubeconfig())
  const access = { ca: String(ca), cert: String(cert), key: String(key) }
  return {
    cluster,
    address,
    access,
    errors,
    connect: () =>
      new Promise((resolve, reject) => {
        const target = { host: address.hostname, port: Number(address.port), ALPNProtocols: ['http/1.1'], ...access }
        const socket = tls.connect(target, () => resolve(socket))
        socket.on('error', reject)
      }),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

function errorLog(errors: string[]): Logger {
  const log: Logger = {
    error: (message, facts) => void errors.push(`${message} ${JSON.stringify(facts, (_, v) => (v instanceof Error ? v.stack : v))}`),
    warn: () => {},
    info: () => {},
    debug: () => {},
    with: () => log,
  }
  return log
}

/** Sends a request that asks for an upgrade; the socket is at the first byte behind the answer's head. */
export async function upgrade(socket: tls.TLSSocket, head: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries({ Host: 'x', Connection: 'Upgrade', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${head} HTTP/1.1\r\n${lines.join('')}\r\n`)
  let answer = Buffer.alloc(0)
  while (!answer.includes('\r\n\r\n')) answer = Buffer.concat([answer, await nextChunk(socket)])
  assert.match(answer.toString('latin1'), /^HTTP\/1\.1 101 /)
  socket.unshift(answer.subarray(answer.indexOf('\r\n\r\n') + 4))
}

export const nextChunk = (socket: tls.TLSSocket): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    socket.once('close', () => reject(new Error('the server has closed the connection')))
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      resolve(chunk)
    })
    socket.resume()
  })

/** Reads on, until the server closes the connection. */
export const closedByServer = (socket: tls.TLSSocket): Promise<void> =>
  new Promise((resolve) => {
    socket.removeAllListeners('error').on('error', () => {})
    socket.once('close', () => resolve())
    socket.resume()
  })
