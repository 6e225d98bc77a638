import { codeOf } from '../../../base/has-code.ts'
import { messageOf } from '../../../base/message-of.ts'

/** Why a connection or request failed: curl's exit code, and its words. */
export interface WhyNot {
  readonly code: number
  readonly words: string
  /** Where it was refused. */
  readonly address: string | undefined
}

/** `timeoutMs`: it was given up after that time. */
export function whyNot(error: unknown, timeoutMs: number | undefined, url: string): WhyNot {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = codeOf(cause) ?? ''
  const address = cause instanceof Error && 'address' in cause ? String(cause.address) : undefined
  const { hostname, port, protocol } = new URL(url)
  const at = `${hostname} port ${port || (protocol === 'https:' ? 443 : 80)}`
  if (timeoutMs !== undefined || code === 'ETIMEDOUT')
    return { code: 28, words: `Connection timed out after ${timeoutMs ?? 130_000} milliseconds`, address }
  if (code === 'ENOTFOUND') return { code: 6, words: `Could not resolve host: ${hostname}`, address }
  const words = messageOf(cause)
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/.test(code)) return { code: 60, words: `SSL certificate problem: ${words}`, address }
  if (code === 'ECONNRESET') return { code: 56, words: 'Recv failure: Connection reset by peer', address }
  return { code: 7, words: `Failed to connect to ${at} after 0 ms: Couldn't connect to server`, address }
}
