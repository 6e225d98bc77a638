import { STATUS_CODES } from 'node:http'
import { type Clock, holding } from '../../base/clock.ts'
import { createHttpConnections, exchange, type HttpConnections } from '../../base/http/http-exchange.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { pause } from '../../base/pause.ts'
import type { ManifestSource } from './manifest-source.ts'
import { MAX_MANIFEST_BYTES, ManifestError, readStaticPods } from './read-manifest.ts'

export interface UrlOptions {
  readonly url: string
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly node: string
  readonly periodMs: number
}

/** The time limit of a response, and the most redirects, as the kubelet's. */
const ANSWER_LIMIT_MS = 10_000
const MAX_REDIRECTS = 10

/** A manifest (a pod, or a list of pods) behind a URL. While it cannot be loaded or is invalid, the previous pods are kept. */
export function manifestUrl(options: UrlOptions, { clock, log }: { readonly clock: Clock; readonly log: Logger }): ManifestSource {
  const { url, node } = options
  let last: string | undefined
  let said: string | undefined
  return {
    async run(notify, signal) {
      using connections = createHttpConnections({})
      while (!signal.aborted) {
        try {
          const text = await holding(clock, 'reading manifests of static pods', () => get(options, { clock, connections }, signal))
          if (text !== last) {
            last = text
            notify(text === '' ? [] : readStaticPods(text, { kind: 'http', source: url, node }))
          }
          if (text === '') throw new ManifestError('unreadable', `zero-length data received from ${url}`)
          said = undefined
        } catch (error) {
          if (signal.aborted) return
          const message = messageOf(error)
          // A repeated failure is not logged again.
          if (message !== said) log.warn('pods could not be read from a URL', { url, error: message })
          said = message
        }
        await pause(clock, options.periodMs, signal)
      }
    },
  }
}

async function get(
  { url, headers }: UrlOptions,
  deps: { readonly clock: Clock; readonly connections: HttpConnections },
  signal: AbortSignal,
): Promise<string> {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')]))
  const limits = { timeoutMs: ANSWER_LIMIT_MS, maxBytes: MAX_MANIFEST_BYTES, maxRedirects: MAX_REDIRECTS }
  const { status, body } = await exchange({ url: new URL(url), method: 'GET', headers: sent, ...limits, signal }, deps)
  if (status !== 200) throw new ManifestError('unreadable', `${url}: ${status} ${STATUS_CODES[status] ?? ''}`)
  return body.toString('utf8')
}
