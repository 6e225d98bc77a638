import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import { createGunzip } from 'node:zlib'
import { type Clock, holding } from '../../base/clock.ts'
import { isClosed, networkErrorText } from '../../base/http/network-error.ts'
import { withoutTrailing } from '../../base/without-trailing.ts'
import { goQuote } from '../../machinery/field-error.ts'

/** Posts JSON to one extender; its connections are kept for the next call. */
export interface HttpCaller {
  /** The text of a 200. Rejects in Go's words otherwise; never takes longer than the time, whatever the other side does. */
  post(verb: string, body: string): Promise<string>
  close(): void
}

export interface HttpCallerOptions {
  readonly urlPrefix: string
  readonly timeoutMs: number
  readonly tls: ConnectionOptions
  readonly clock: Clock
}

/** An answer that is longer is not read to its end, unless the question was long itself. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_GROWTH = 4
const MOST_REDIRECTS = 10

export function createHttpCaller({ urlPrefix, timeoutMs, tls, clock }: HttpCallerOptions): HttpCaller {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 128 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 128, ...tls, ALPNProtocols: ['http/1.1'] }),
  }
  return {
    async post(verb, body) {
      const url = `${withoutTrailing(urlPrefix, '/')}/${verb}`
      const answer = await holding(clock, `the extender ${url}`, () => exchange({ url, body, agents, timeoutMs, clock }))
      if (answer.code !== 200) throw new Error(`failed ${verb} with extender at URL ${url}, code ${answer.code}`)
      return answer.text
    },
    close() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

interface Exchange {
  readonly url: string
  readonly body: string
  readonly agents: { readonly 'http:': http.Agent; readonly 'https:': https.Agent }
  readonly timeoutMs: number
  readonly clock: Clock
}

interface Answer {
  readonly code: number
  readonly text: string
}

/** One call with its redirects, within its time. */
async function exchange(call: Exchange): Promise<Answer> {
  const post = (why: string) => new Error(`Post ${goQuote(call.url)}: ${why}`)
  let current: ClientRequest | undefined
  let answered = false
  let late: ((error: Error) => void) | undefined
  const deadline = new Promise<never>((_, reject) => {
    late = reject
  })
  deadline.catch(() => {})
  const cancel = call.clock.after(call.timeoutMs, () => {
    const what = answered ? 'Client.Timeout or context cancellation while reading body' : 'Client.Timeout exceeded while awaiting headers'
    late?.(answered ? new Error(`context deadline exceeded (${what})`) : post(`context deadline exceeded (${what})`))
    current?.destroy()
  })
  const send = async (): Promise<Answer> => {
    let url: URL
    try {
      url = new URL(call.url)
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        throw post(`unsupported protocol scheme ${goQuote(url.protocol.slice(0, -1))}`)
    } catch (error) {
      throw error instanceof TypeError ? post(`unsupported protocol scheme ""`) : error
    }
    let method = 'POST'
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const response = await request(url, method, call, (started) => {
        current = started
      }).catch((error) => {
        throw post(networkErrorText(error))
      })
      const code = response.statusCode ?? 0
      const { location } = response.headers
      if (![301, 302, 303, 307, 308].includes(code) || location === undefined) {
        answered = true
        return { code, text: await readAll(response, Math.max(MOST_BYTES, MOST_GROWTH * call.body.length)) }
      }
      response.resume()
      if (code < 307) method = 'GET'
      url = new URL(location, url)
    }
    throw post(`stopped after ${MOST_REDIRECTS} redirects`)
  }
  try {
    return await Promise.race([send(), deadline])
  } finally {
    cancel()
  }
}

function request(
  url: URL,
  method: string,
  { body, agents }: Exchange,
  started: (request: ClientRequest) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = () => {
      const headers = {
        'user-agent': 'Go-http-client/1.1',
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
        ...(method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}),
      }
      const options = { method, headers }
      const one =
        url.protocol === 'https:'
          ? https.request(url, { ...options, agent: agents['https:'] })
          : http.request(url, { ...options, agent: agents['http:'] })
      started(one)
      one.on('error', (error: NodeJS.ErrnoException) => {
        // A kept connection that was closed meanwhile says nothing about the extender.
        if (one.reusedSocket && isClosed(error)) send()
        else reject(error)
      })
      one.on('response', resolve)
      one.end(method === 'POST' ? body : undefined)
    }
    send()
  })
}

async function readAll(response: IncomingMessage, mostBytes: number): Promise<string> {
  const stream = response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of stream) {
      size += part.length
      if (size > mostBytes) {
        response.destroy()
        throw new Error(`the answer is longer than ${mostBytes} bytes`)
      }
      parts.push(part)
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ECONNRESET' ? new Error('unexpected EOF') : error
  }
  return Buffer.concat(parts).toString()
}
