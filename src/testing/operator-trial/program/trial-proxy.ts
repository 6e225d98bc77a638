import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import http2, { type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type PathTarget, requestInfo } from '../../../apiserver/request/request-info.ts'
import { systemClock } from '../../../base/clock.ts'
import type { TestCertificate } from '../../test-certificate.ts'
import { CHATTER, WRITES } from '../operator-calls.ts'
import { bodyOf, MOST_BODY_BYTES, passedOn, type Refusal, refuse, tunnel, type Upstream } from './proxy-wire.ts'

/** One request of the operator. */
export interface TrialCall {
  readonly id: number
  /** Milliseconds since the trial cluster was started. */
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
  /** What happens before. */
  readonly first?: () => Promise<void>
  /** The response in place of sending the call. */
  readonly refusal?: Refusal
  /** Called when the call was carried out; its response is discarded. */
  readonly lose?: () => void
}

/** What happens to watches. */
export interface WatchFaults {
  readonly delayMs?: number
  /** Each watch breaks after this long: in turn in its midst, and as if the server had ended it. */
  readonly cutAfterMs?: number
  /** Most watches of a collection that are cut; later ones are not. Default: all. */
  readonly mostCuts?: number
}

/** What the proxy needs. */
export interface ProxyConfig {
  readonly certificate: TestCertificate
  readonly upstream: Upstream
  readonly life: () => number
  /** The resource version of the object at a path; undefined: it does not exist. */
  readonly versionOf: (target: PathTarget) => Promise<string | undefined>
}

/** A proxy that writes down what passes. */
export interface TrialProxy extends AsyncDisposable {
  readonly address: string
  readonly ca: string
  readonly calls: readonly TrialCall[]
  /** Milliseconds since the trial cluster was started. */
  nowMs(): number
  /** Called for every call. */
  meet: (call: TrialCall) => Meeting | undefined
  watches: WatchFaults
  /** Writes without a response. */
  readonly underway: number
  /** How many writes have come. */
  readonly writes: number
  /** The runs of the program that have looked at something, so far. */
  readonly looked: ReadonlySet<number>
  /** Breaks all watches that are open. */
  cutWatches(): void
  /** The limit of calls is exceeded: no more calls are passed on. */
  readonly flooded: boolean
}

/** A world with more calls is a flood: the recorded calls must fit into memory. */
export const MOST_CALLS = 20_000

/** True if a call changes the cluster, in the sense of its author. */
export const isWrite = (call: TrialCall): boolean =>
  WRITES.has(call.verb) && call.target !== undefined && !CHATTER.has(call.target.resource) && !call.dryRun

/** Whether a call is about the operator itself. */
export const isChatter = (call: TrialCall): boolean => call.target === undefined || CHATTER.has(call.target.resource)

/** Opens the proxy on a free port of 127.0.0.1. */
export async function openTrialProxy(config: ProxyConfig): Promise<TrialProxy> {
  const { cert, key, ca } = config.certificate
  const { upstream } = config
  const agent = new https.Agent({ keepAlive: true, ca: upstream.ca, cert: upstream.cert, key: upstream.key })
  const calls: TrialCall[] = []
  const startMs = systemClock.monotonic()
  const sockets = new Set<Socket>()
  const looked = new Set<number>()
  const open = new Set<() => void>()
  const cuts = new Map<string, number>()
  const proxy = {
    meet: (_: TrialCall): Meeting | undefined => undefined,
    watches: {} as WatchFaults,
    underway: 0,
    writes: 0,
    looked,
    flooded: false,
  }
  const nowMs = () => Math.round(systemClock.monotonic() - startMs)

  const begin = ({ method, url }: { readonly method: string; readonly url: URL }): TrialCall => {
    const watching = ['true', '1'].includes(url.searchParams.get('watch') ?? '')
    const { verb, target } = requestInfo(method, url.pathname, { watching })
    const dryRun = url.searchParams.has('dryRun')
    const call: TrialCall = { id: calls.length, atMs: nowMs(), life: config.life(), verb, target, path: url.pathname, dryRun }
    calls.push(call)
    if (isWrite(call)) proxy.writes++
    if ((verb === 'watch' || verb === 'list') && !isChatter(call)) looked.add(call.life)
    return call
  }

  const serve = async (request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> => {
    proxy.flooded ||= calls.length >= MOST_CALLS
    if (proxy.flooded) {
      request.resume()
      response.setHeader('retry-after', '1')
      return refuse(response, { code: 429, reason: 'TooManyRequests', message: `this trial ends after ${MOST_CALLS} requests` })
    }
    const url = new URL(request.url, 'https://proxy')
    const call = begin({ method: request.method, url })
    const { verb, target } = call
    const streams = verb === 'watch' || url.searchParams.get('follow') === 'true'
    let gone = false
    response.on('close', () => {
      gone = true
    })
    const writes = isWrite(call)
    if (writes) proxy.underway++
    try {
      const body = await bodyOf(request)
      if (body === undefined) {
        call.code = 413
        return refuse(response, { code: 413, reason: 'RequestEntityTooLarge', message: `more than ${MOST_BODY_BYTES} bytes` })
      }
      const met = proxy.meet(call)
      if (met !== undefined) call.fault = met.what
      if (met?.delayMs !== undefined) await systemClock.sleep(met.delayMs)
      // The client has aborted the request meanwhile.
      if (gone) return
      await met?.first?.()
      if (met?.refusal !== undefined) {
        call.code = met.refusal.code
        return refuse(response, met.refusal)
      }
      const named = writes && target !== undefined && target.name !== '' ? target : undefined
      const before = named && (await config.versionOf(named))
      await forward(call, {
        request,
        response,
        body,
        agent,
        address: upstream.address,
        watches: streams ? proxy.watches : {},
        streams,
        open,
        cut: () => {
          const many = (cuts.get(call.path) ?? 0) + 1
          cuts.set(call.path, many)
          return many > (proxy.watches.mostCuts ?? Number.POSITIVE_INFINITY) ? undefined : many % 2 === 1 ? 'breaks' : 'ends'
        },
        lose: met?.lose,
      })
      if (named !== undefined && (call.code ?? 500) < 300) call.changed = (await config.versionOf(named)) !== before
    } finally {
      call.doneMs = nowMs()
      if (writes) proxy.underway--
    }
  }
  const server: Http2SecureServer = http2.createSecureServer({ cert, key, allowHTTP1: true, noDelay: true }, (request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('upgrade', ({ method = '', url = '', headers }: IncomingMessage, socket: Duplex) => {
    const call = begin({ method, url: new URL(url, 'https://proxy') })
    call.code = 101
    tunnel({ method, url, headers, socket, upstream })
    socket.on('close', () => {
      call.doneMs = nowMs()
    })
  })
  server.on('sessionError', () => {}) // a program that was killed takes no leave
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(proxy, {
    address: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca,
    calls,
    nowMs,
    cutWatches() {
      for (const breakOff of [...open]) breakOff()
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      agent.destroy()
      await closed
    },
  })
}

interface Passing {
  readonly request: Http2ServerRequest
  readonly response: Http2ServerResponse
  readonly body: Buffer
  readonly agent: https.Agent
  readonly address: string
  readonly watches: WatchFaults
  /** Its response has no time limit: a watch, a log that is followed. */
  readonly streams: boolean
  /** How the next watch of this collection ends; undefined: it lasts. */
  readonly cut: () => 'breaks' | 'ends' | undefined
  /** What breaks the watches that are open. */
  readonly open: Set<() => void>
  readonly lose: (() => void) | undefined
}

function forward(call: TrialCall, { request, response, body, agent, address, watches, streams, cut, open, lose }: Passing): Promise<void> {
  const headers = passedOn(request.headers)
  const length = body.length > 0 ? { 'content-length': String(body.length) } : {}
  return new Promise((resolve, reject) => {
    const sent = https.request(`${address}${request.url}`, { method: request.method, headers: { ...headers, ...length }, agent })
    sent.on('error', reject)
    sent.on('response', (answer) => {
      call.code = answer.statusCode ?? 0
      answer.on('error', () => resolve()) // the response is cut off, or the server ends: the client sees that
      answer.on('end', () => resolve())
      answer.on('close', () => resolve())
      if (lose !== undefined) {
        answer.resume()
        if (streams) lose()
        else answer.on('end', lose)
        return
      }
      response.writeHead(call.code, passedOn(answer.headers))
      if (streams) {
        const breakOff = () => {
          sent.destroy()
          response.destroy()
        }
        open.add(breakOff)
        const how = watches.cutAfterMs === undefined ? undefined : cut()
        const cancel =
          how === undefined
            ? () => {}
            : systemClock.after(watches.cutAfterMs ?? 0, how === 'breaks' ? breakOff : () => endEarly(sent, response))
        answer.on('close', () => {
          cancel()
          open.delete(breakOff)
        })
      }
      if (watches.delayMs === undefined) answer.pipe(response as NodeJS.WritableStream)
      else passLate(answer, response, watches.delayMs)
    })
    response.on('close', () => {
      sent.destroy()
      resolve()
    })
    sent.end(body)
  })
}

/** As a server ends a watch whose time is over. */
function endEarly(sent: ClientRequest, response: Http2ServerResponse): void {
  response.end()
  sent.destroy()
}

/** Each part comes so much later, in order. */
function passLate(answer: NodeJS.ReadableStream, response: Http2ServerResponse, delayMs: number): void {
  answer.on('data', (part: Buffer) => systemClock.after(delayMs, () => void (response.writable && response.write(part))))
  answer.on('end', () => systemClock.after(delayMs, () => response.end()))
}
