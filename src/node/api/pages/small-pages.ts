import { goQuote } from '../../../machinery/field-error.ts'
import type { Handler } from '../api-request.ts'
import { errorText, page, text } from '../kubelet-response.ts'
import { KUBELET_FLAGS } from './kubelet-flags.ts'

const CHECKS = ['ping', 'log', 'syncloop', 'device-plugin'] as const

/** `/healthz` and a page for each of its checks. */
export function healthPages(alive: () => boolean): Readonly<Record<string, Handler>> {
  const fault = (check: string) => (check === 'syncloop' && !alive() ? 'sync loop took longer than expected' : undefined)
  const whole: Handler = ({ query }) => {
    const excluded = new Set(query.getAll('exclude'))
    const faulty = CHECKS.filter((check) => !excluded.has(check) && fault(check) !== undefined)
    const lines = CHECKS.map((check) => {
      if (excluded.has(check)) return `[+]${check} excluded: ok\n`
      return faulty.includes(check) ? `[-]${check} failed: reason withheld\n` : `[+]${check} ok\n`
    })
    const unknown = [...excluded].filter((name) => !CHECKS.some((c) => c === name))
    if (unknown.length > 0)
      lines.push(
        `warn: some health checks cannot be excluded: no matches for ${unknown
          .sort()
          .map((n) => goQuote(n))
          .join(', ')}\n`,
      )
    if (faulty.length > 0) return errorText(500, `${lines.join('')}healthz check failed`)
    return page(query.has('verbose') ? `${lines.join('')}healthz check passed\n` : 'ok')
  }
  const single =
    (check: string): Handler =>
    () => {
      const why = fault(check)
      return why === undefined ? text(200, 'ok') : errorText(500, `internal server error: ${why}`)
    }
  return { '/healthz': whole, ...Object.fromEntries(CHECKS.map((check) => [`/healthz/${check}`, single(check)])) }
}

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n'
/** The paths for debugging. */
const PATHS = '/configz /debug /flagz /healthz /metrics'

export interface PageFacts {
  readonly startedMs: number
  readonly now: () => number
  /** `1.36`. */
  readonly version: string
}

/** `/statusz`: the program, its version and its start time. */
export const statusz =
  ({ startedMs, now, version }: PageFacts): Handler =>
  ({ headers }) => {
    if (!takesText(headers.accept)) return notAcceptable(headers.accept)
    const seconds = Math.floor((now() - startedMs) / 1000)
    const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
    const up = `${Math.floor(seconds / 3600)} hr ${two((seconds / 60) % 60)} min ${two(seconds % 60)} sec`
    const lines = [
      `Started:  ${unixDate(startedMs)}`,
      `Up:  ${up}`,
      `Go version:  none (Node.js ${process.version})`,
      `Binary version:  ${version}`,
      `Emulation version:  ${version}`,
      `Paths:  ${PATHS}`,
    ]
    return text(200, `\nkubelet statusz\n${WARNING}\n${lines.join('\n')}\n`)
  }

/** `/flagz`. */
export const flagz: Handler = ({ headers }) =>
  takesText(headers.accept)
    ? text(200, `\nkubelet flagz\n${WARNING}${KUBELET_FLAGS.replace(/:$/gm, ': ')}\n`)
    : notAcceptable(headers.accept)

const takesText = (accept = ''): boolean => accept.trim() === '' || /(^|,)\s*(text\/plain|text\/\*|\*\/\*)/.test(accept)

const REFUSAL = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'only the following media types are accepted: application/json, application/yaml, text/plain',
  reason: 'NotAcceptable',
  code: 406,
}

/** The structured (alpha) formats of these pages are not served: a request for them is refused like one for any unknown format. */
const notAcceptable = (accept = '') => ({
  code: 406,
  headers: { 'Content-Type': 'application/json' },
  body: /application\/json/.test(accept) ? `${JSON.stringify(REFUSAL)}\n` : JSON.stringify(REFUSAL, null, 2),
})

/** In the format of the program `date`. */
function unixDate(ms: number): string {
  const [day = '', date, month, year, time] = new Date(ms).toUTCString().replace(',', '').split(' ')
  return `${day} ${month} ${String(Number(date)).padStart(2, ' ')} ${time} UTC ${year}`
}

const PLAIN = { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' }
const plain = (code: number, body: string) => ({ code, headers: PLAIN, body: `${body}\n` })

/** `/debug/flags/v`: sets the log verbosity. */
export const verbosity =
  (set: (level: number) => void): Handler =>
  async (request) => {
    if (request.method !== 'PUT') return plain(406, 'unsupported http method')
    const value = await request.body()
    if (!/^\d+$/.test(value)) return plain(400, `strconv.ParseUint: parsing ${goQuote(value)}: invalid syntax`)
    if (Number(value) > 0xffffffff) return plain(400, `strconv.ParseUint: parsing ${goQuote(value)}: value out of range`)
    set(Number(value))
    return plain(200, `successfully set klog.logging.verbosity to ${value}`)
  }
