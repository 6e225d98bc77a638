/** A small, fast HTTP/2 client for measuring API servers: many requests at once on a few connections, answers as bytes. */
import { readFileSync } from 'node:fs'
import { type ClientHttp2Session, connect } from 'node:http2'

export interface ApiResponse {
  readonly status: number
  readonly body: Buffer
  /** Milliseconds from sending to the first byte and to the last. */
  readonly firstByteMs: number
  readonly totalMs: number
}

export interface Api extends Disposable {
  request(method: string, path: string, body?: string, contentType?: string, accept?: string): Promise<ApiResponse>
  /** Opens a watch; `onData` gets the bytes as they come. */
  stream(path: string, onData: (bytes: Buffer) => void, onClose?: () => void): { close(): void }
}

interface Kubeconfig {
  readonly server: string
  readonly ca: Buffer | undefined
  readonly cert: Buffer | undefined
  readonly key: Buffer | undefined
  readonly token: string | undefined
}

/** Reads the one cluster and user of a kubeconfig with inline or neighbouring files. */
export function readKubeconfig(file: string): Kubeconfig {
  const text = readFileSync(file, 'utf8')
  const scalar = (key: string) => new RegExp(`["']?${key}["']?\\s*:\\s*"?([^\\s",}]+)`).exec(text)?.[1]
  const data = (key: string) => {
    const inline = scalar(`${key}-data`)
    if (inline !== undefined) return Buffer.from(inline, 'base64')
    const path = scalar(key)
    return path === undefined ? undefined : readFileSync(path)
  }
  const server = scalar('server')
  if (server === undefined) throw new Error(`${file} names no server`)
  return { server, ca: data('certificate-authority'), cert: data('client-certificate'), key: data('client-key'), token: scalar('token') }
}

/** Opens `connections` sessions to the server of a kubeconfig. */
export async function openApi(file: string, connections = 4): Promise<Api> {
  const kube = readKubeconfig(file)
  const tls = { ...(kube.ca ? { ca: kube.ca } : {}), ...(kube.cert ? { cert: kube.cert } : {}), ...(kube.key ? { key: kube.key } : {}) }
  const open = () =>
    new Promise<ClientHttp2Session>((resolve, reject) => {
      const session = connect(kube.server, { ...tls, settings: { initialWindowSize: 4 << 20 } }, (s) => {
        s.setLocalWindowSize(32 << 20)
        resolve(s)
      })
      session.once('error', reject)
    })
  const sessions = await Promise.all(Array.from({ length: connections }, open))
  const auth = kube.token === undefined ? {} : { authorization: `Bearer ${kube.token}` }
  let turn = 0
  const next = () => {
    const session = sessions[turn++ % sessions.length]
    if (session === undefined) throw new Error('no session')
    return session
  }

  return {
    request(method, path, body, contentType = 'application/json', accept = 'application/json') {
      return new Promise((resolve, reject) => {
        const started = performance.now()
        const headers = {
          ':method': method,
          ':path': path,
          accept,
          ...auth,
          ...(body === undefined ? {} : { 'content-type': contentType }),
        }
        const stream = next().request(headers, { endStream: body === undefined })
        const parts: Buffer[] = []
        let status = 0
        let firstByteMs = 0
        stream.on('response', (h) => {
          status = Number(h[':status'])
        })
        stream.on('data', (d: Buffer) => {
          if (parts.length === 0) firstByteMs = performance.now() - started
          parts.push(d)
        })
        stream.on('end', () => resolve({ status, body: Buffer.concat(parts), firstByteMs, totalMs: performance.now() - started }))
        stream.on('error', reject)
        if (body !== undefined) stream.end(body)
      })
    },
    stream(path, onData, onClose = () => {}) {
      const stream = next().request({ ':method': 'GET', ':path': path, accept: 'application/json', ...auth })
      stream.on('data', onData)
      stream.on('error', () => {})
      stream.on('close', onClose)
      return { close: () => stream.close() }
    },
    [Symbol.dispose]() {
      for (const session of sessions) session.destroy()
    },
  }
}

/** How many objects a collection has. */
export async function countOf(api: Api, collection: string): Promise<number> {
  const { body } = await api.request('GET', `${collection}?limit=1`)
  const list = JSON.parse(body.toString()) as { items: unknown[]; metadata: { remainingItemCount?: number } }
  return list.items.length + (list.metadata.remainingItemCount ?? 0)
}

/** Runs `total` jobs, `width` at a time; the milliseconds of each, and of all. */
export async function pump(
  total: number,
  width: number,
  job: (i: number) => Promise<unknown>,
): Promise<{ readonly totalMs: number; readonly each: readonly number[] }> {
  const each: number[] = []
  let at = 0
  const started = performance.now()
  const worker = async () => {
    while (at < total) {
      const i = at++
      const t = performance.now()
      await job(i)
      each.push(performance.now() - t)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return { totalMs: performance.now() - started, each }
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}
