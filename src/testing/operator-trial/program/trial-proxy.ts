import type { ClientRequest, IncomingMessage } from 'node:http'
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import { type PathTarget, requestInfo } from '../../../apiserver/request/request-info.ts'
import { systemClock } from '../../../base/clock.ts'
import { StatusError } from '../../../machinery/status-error.ts'
import { type LocalServer, openLocalServer } from '../../local-server.ts'
import type { TestCertificate } from '../../test-certificate.ts'
import { bodyOf, passedOn, refuse, tooLarge, tunnel, type Upstream } from './proxy-wire.ts'
import { isChatter, isWrite, type Meeting, MOST_CALLS, type TrialCall, type WatchFaults } from './trial-call.ts'

/** What the proxy needs. */
export interface ProxyConfig {
  readonly certificate: TestCertificate
  readonly upstream: Upstream
  readonly life: () => number
  /** The resource version of the object at a path; undefined: it does not exist. */
  readonly versionOf: (target: PathTarget) => Promise<string | undefined>
}

/** A proxy that writes down what passes, and lets calls and watches meet faults. */
export class TrialProxy implements AsyncDisposable {
  /** All requests of the operator; not to be changed by others. */
  readonly calls: TrialCall[] = []
  /** Called for every call. */
  meet: (call: TrialCall) => Meeting | undefined = () => undefined
  watches: WatchFaults = {}
  /** Writes without a response. */
  underway = 0
  /** How many writes have come. */
  writes = 0
  /** The runs of the program that have listed or watched anything, so far. */
  readonly looked = new Set<number>()
  /** The limit of calls is exceeded: no more calls are passed on. */
  flooded = false
  readonly #config: ProxyConfig
  readonly #agent: https.Agent
  readonly #startMs = systemClock.monotonic()
  /** What breaks the watches that are open. */
  readonly #open = new Set<() => void>()
  /** How many watches of a path were cut. */
  readonly #cuts = new Map<string, number>()
  #server: LocalServer | undefined

  private constructor(config: ProxyConfig) {
    const { ca, cert, key } = config.upstream
    this.#config = config
    this.#agent = new https.Agent({ keepAlive: true, ca, cert, key })
  }

  /** Opens the proxy on a free port of 127.0.0.1. */
  static async open(config: ProxyConfig): Promise<TrialProxy> {
    const { cert, key } = config.certificate
    const proxy = new TrialProxy(config)
    const server = http2.createSecureServer({ cert, key, allowHTTP1: true, noDelay: true }, (request, response) => {
      proxy.#serve(request, response).catch(() => response.destroy())
    })
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => proxy.#upgrade(request, socket))
    server.on('sessionError', () => {}) // a program that was killed takes no leave
    proxy.#server = await openLocalServer(server)
    return proxy
  }

  get address(): string {
    return `https://127.0.0.1:${this.#server?.port}`
  }

  /** PEM. */
  get ca(): string {
    return this.#config.certificate.ca
  }

  /** Milliseconds since the trial cluster was started. */
  nowMs(): number {
    return Math.round(systemClock.monotonic() - this.#startMs)
  }

  /** Breaks all watches that are open. */
  cutWatches(): void {
    for (const breakOff of [...this.#open]) breakOff()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    await this.#server?.[Symbol.asyncDispose]()
  }

  #begin(method: string, url: URL): TrialCall {
    const watching = ['true', '1'].includes(url.searchParams.get('watch') ?? '')
    const { verb, target } = requestInfo(method, url.pathname, { watching })
    const dryRun = url.searchParams.has('dryRun')
    const call: TrialCall = {
      id: this.calls.length,
      atMs: this.nowMs(),
      life: this.#config.life(),
      verb,
      target,
      path: url.pathname,
      dryRun,
    }
    this.calls.push(call)
    if (isWrite(call)) this.writes++
    if ((verb === 'watch' || verb === 'list') && !isChatter(call)) this.looked.add(call.life)
    return call
  }

  #upgrade({ method = '', url = '', headers }: IncomingMessage, socket: Duplex): void {
    const call = this.#begin(method, new URL(url, 'https://proxy'))
    call.code = 101
    tunnel({ method, url, headers, socket, upstream: this.#config.upstream })
    socket.on('close', () => {
      call.doneMs = this.nowMs()
    })
  }

  async #serve(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    this.flooded ||= this.calls.length >= MOST_CALLS
    if (this.flooded) {
      request.resume()
      response.setHeader('retry-after', '1')
      return refuse(response, flood())
    }
    const url = new URL(request.url, 'https://proxy')
    const call = this.#begin(request.method, url)
    const streams = call.verb === 'watch' || url.searchParams.get('follow') === 'true'
    const writes = isWrite(call)
    if (writes) this.underway++
    try {
      await this.#pass(call, { request, response, streams })
    } finally {
      call.doneMs = this.nowMs()
      if (writes) this.underway--
    }
  }

  async #pass(call: TrialCall, exchange: TrialExchange): Promise<void> {
    const { request, response } = exchange
    let gone = false
    response.on('close', () => {
      gone = true
    })
    const body = await bodyOf(request)
    if (body === undefined) return refuseCall(call, response, tooLarge())
    const met = this.meet(call)
    if (met !== undefined) call.fault = met.what
    if (met?.delayMs !== undefined) await systemClock.sleep(met.delayMs)
    // The client has aborted the request meanwhile.
    if (gone) return
    await met?.first?.()
    if (met?.refusal !== undefined) return refuseCall(call, response, met.refusal)
    const named = isWrite(call) && call.target?.name !== '' ? call.target : undefined
    const before = named && (await this.#config.versionOf(named))
    await this.#forward(call, exchange, { body, lose: met?.lose })
    if (named !== undefined && (call.code ?? 500) < 300) call.changed = (await this.#config.versionOf(named)) !== before
  }

  #forward(call: TrialCall, { request, response, streams }: TrialExchange, { body, lose }: Forwarding): Promise<void> {
    const { delayMs } = streams ? this.watches : {}
    const length = body.length > 0 ? { 'content-length': String(body.length) } : {}
    return new Promise((resolve, reject) => {
      const sent = https.request(`${this.#config.upstream.address}${request.url}`, {
        method: request.method,
        headers: { ...passedOn(request.headers), ...length },
        agent: this.#agent,
      })
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
        if (streams) this.#mayCut(call.path, { sent, answer, response })
        if (delayMs === undefined) answer.pipe(response as NodeJS.WritableStream)
        else passLate(answer, response, delayMs)
      })
      response.on('close', () => {
        sent.destroy()
        resolve()
      })
      sent.end(body)
    })
  }

  /** Cuts a watch after a while, where the faults say so, and with `cutWatches`. */
  #mayCut(path: string, { sent, answer, response }: OpenWatch): void {
    const breakOff = () => {
      sent.destroy()
      response.destroy()
    }
    const end = () => {
      response.end()
      sent.destroy()
    }
    this.#open.add(breakOff)
    const { cutAfterMs } = this.watches
    const how = cutAfterMs === undefined ? undefined : this.#nextCut(path)
    const cancel =
      cutAfterMs !== undefined && how !== undefined ? systemClock.after(cutAfterMs, how === 'breaks' ? breakOff : end) : () => {}
    answer.on('close', () => {
      cancel()
      this.#open.delete(breakOff)
    })
  }

  /** How the next watch of a collection ends; undefined: it lasts. */
  #nextCut(path: string): 'breaks' | 'ends' | undefined {
    const count = (this.#cuts.get(path) ?? 0) + 1
    this.#cuts.set(path, count)
    if (count > (this.watches.mostCuts ?? Number.POSITIVE_INFINITY)) return undefined
    return count % 2 === 1 ? 'breaks' : 'ends'
  }
}

interface TrialExchange {
  readonly request: Http2ServerRequest
  readonly response: Http2ServerResponse
  /** Its response has no time limit: a watch, a log that is followed. */
  readonly streams: boolean
}

interface Forwarding {
  readonly body: Buffer
  readonly lose: Meeting['lose'] | undefined
}

interface OpenWatch {
  readonly sent: ClientRequest
  readonly answer: IncomingMessage
  readonly response: Http2ServerResponse
}

function refuseCall(call: TrialCall, response: Http2ServerResponse, refusal: StatusError): void {
  call.code = refusal.code
  refuse(response, refusal)
}

const flood = () => new StatusError({ code: 429, reason: 'TooManyRequests', message: `this trial ends after ${MOST_CALLS} requests` })

/** Each part comes so much later, in order. */
function passLate(answer: NodeJS.ReadableStream, response: Http2ServerResponse, delayMs: number): void {
  answer.on('data', (part: Buffer) => systemClock.after(delayMs, () => void (response.writable && response.write(part))))
  answer.on('end', () => systemClock.after(delayMs, () => response.end()))
}
