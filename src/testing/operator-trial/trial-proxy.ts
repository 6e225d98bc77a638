import { once } from 'node:events'
import http2, { type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type PathTarget, requestInfo } from '../../apiserver/handlers/request/request-info.ts'
import { systemClock } from '../../base/clock.ts'
import { testCertificate } from '../test-certificate.ts'

/** One request of the operator. */
export interface TrialCall {
  readonly id: number
  /** Milliseconds since the world began. */
  readonly atMs: number
  /** Which run of the program sent it; the first is 1. */
  readonly life: number
  readonly verb: string
  readonly target: PathTarget | undefined
  readonly path: string
  readonly dryRun: boolean
  doneMs?: number
  code?: number
  /** Of a write that succeeded: whether it changed anything. */
  changed?: boolean
  /** What was done to it. */
  fault?: string
}

/** What happens to a call. */
export interface Meeting {
  readonly what: string
  readonly delayMs?: number
  /** Answered so, and not sent. */
  readonly refusal?: { readonly code: number; readonly reason: string; readonly message: string }
  /** Called when it is done; the answer is thrown away. */
  readonly lose?: () => void
}

/** What happens to watches. */
export interface WatchFaults {
  readonly delayMs?: number
  readonly cutEveryMs?: number
}

/** What the proxy needs. */
export interface ProxyConfig {
  readonly upstream: { readonly address: string; readonly ca: string; readonly cert: string; readonly key: string }
  readonly life: () => number
  /** The resource version of what a path names; undefined: it is not there. */
  readonly versionOf: (target: PathTarget) => Promise<string | undefined>
}

/** A proxy that writes down what passes. */
export interface TrialProxy extends AsyncDisposable {
  readonly address: string
  readonly ca: string
  readonly calls: readonly TrialCall[]
  /** Asked for every call that is no watch. */
  meet: (call: TrialCall) => Meeting | undefined
  watches: WatchFaults
  /** Calls without an answer, watches aside. */
  readonly underway: number
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
/** Requests that say nothing of what an operator does: its lease, its events, its questions about itself. */
const CHATTER = new Set([
  'leases',
  'events',
  'tokenreviews',
  'subjectaccessreviews',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'selfsubjectreviews',
])

/** Whether a call changes the world, as its author means it. */
export const isWrite = (call: TrialCall): boolean =>
  WRITES.has(call.verb) && call.target !== undefined && !CHATTER.has(call.target.resource) && !call.dryRun

/** Whether a call is about the operator itself. */
export const isChatter = (call: TrialCall): boolean => call.target === undefined || CHATTER.has(call.target.resource)

/** Opens the proxy on a free port of 127.0.0.1. */
export async function openTrialProxy(config: ProxyConfig): Promise<TrialProxy> {
  const { cert, key, ca } = testCertificate()
  const { upstream } = config
  const agent = new https.Agent({ keepAlive: true, ca: upstream.ca, cert: upstream.cert, key: upstream.key })
  const calls: TrialCall[] = []
  const startMs = systemClock.monotonic()
  const sockets = new Set<Socket>()
  const proxy = { meet: (_: TrialCall): Meeting | undefined => undefined, watches: {} as WatchFaults, underway: 0 }
  const nowMs = () => Math.round(systemClock.monotonic() - startMs)

  const serve = async (request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> => {
    const url = new URL(request.url, 'https://proxy')
    const { verb, target } = requestInfo(request.method, url.pathname, {
      watching: ['true', '1'].includes(url.searchParams.get('watch') ?? ''),
    })
    const dryRun = url.searchParams.has('dryRun')
    const call: TrialCall = { id: calls.length, atMs: nowMs(), life: config.life(), verb, target, path: url.pathname, dryRun }
    calls.push(call)
    const streams = verb === 'watch' || url.searchParams.get('follow') === 'true'
    if (!streams) proxy.underway++
    try {
      const body = await bodyOf(request)
      const met = streams ? undefined : proxy.meet(call)
      if (met !== undefined) call.fault = met.what
      if (met?.delayMs !== undefined) await systemClock.sleep(met.delayMs)
      if (met?.refusal !== undefined) return refuse(response, call, met.refusal)
      const named = isWrite(call) && target !== undefined && target.name !== '' ? target : undefined
      const before = named && (await config.versionOf(named))
      await forward(call, {
        request,
        response,
        body,
        agent,
        address: upstream.address,
        watches: streams ? proxy.watches : {},
        lose: met?.lose,
      })
      if (named !== undefined && (call.code ?? 500) < 300) call.changed = (await config.versionOf(named)) !== before
    } finally {
      call.doneMs = nowMs()
      if (!streams) proxy.underway--
    }
  }
  const server: Http2SecureServer = http2.createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
    serve(request, response).catch(() => response.stream?.destroy())
  })
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('sessionError', () => {}) // a program that was killed takes no leave
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(proxy, {
    address: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca,
    calls,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      agent.destroy()
      await closed
    },
  })
}

async function bodyOf(request: Http2ServerRequest): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

function refuse(response: Http2ServerResponse, call: TrialCall, refusal: NonNullable<Meeting['refusal']>): void {
  call.code = refusal.code
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...refusal }
  response.writeHead(refusal.code, { 'content-type': 'application/json' })
  response.end(JSON.stringify(status))
}

interface Passing {
  readonly request: Http2ServerRequest
  readonly response: Http2ServerResponse
  readonly body: Buffer
  readonly agent: https.Agent
  readonly address: string
  readonly watches: WatchFaults
  readonly lose: (() => void) | undefined
}

/** Headers that belong to one connection, and the operator's own proof of who it is: the proxy has another. */
const OWN = new Set([
  'host',
  'connection',
  'authorization',
  'transfer-encoding',
  'content-length',
  'keep-alive',
  'upgrade',
  'http2-settings',
])

function forward(call: TrialCall, { request, response, body, agent, address, watches, lose }: Passing): Promise<void> {
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !name.startsWith(':') && !OWN.has(name)))
  const length = body.length > 0 ? { 'content-length': String(body.length) } : {}
  return new Promise((resolve, reject) => {
    const sent = https.request(`${address}${request.url}`, { method: request.method, headers: { ...headers, ...length }, agent })
    sent.on('error', reject)
    sent.on('response', (answer) => {
      call.code = answer.statusCode ?? 0
      answer.on('error', reject)
      answer.on('end', () => resolve())
      answer.on('close', () => resolve())
      if (lose !== undefined) {
        answer.resume()
        answer.on('end', lose)
        return
      }
      const told = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !OWN.has(name)))
      response.writeHead(call.code, told)
      if (watches.cutEveryMs !== undefined) {
        const cut = systemClock.after(watches.cutEveryMs, () => {
          sent.destroy()
          response.stream?.destroy()
        })
        answer.on('close', cut)
      }
      if (watches.delayMs === undefined) answer.pipe(response as unknown as NodeJS.WritableStream)
      else passLate(answer, response, watches.delayMs)
    })
    response.on('close', () => {
      sent.destroy()
      resolve()
    })
    sent.end(body)
  })
}

/** Each part comes so much later, in order. */
function passLate(answer: NodeJS.ReadableStream, response: Http2ServerResponse, delayMs: number): void {
  answer.on('data', (part: Buffer) => systemClock.after(delayMs, () => void (response.writable && response.write(part))))
  answer.on('end', () => systemClock.after(delayMs, () => response.end()))
}
