import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, float, harmless, int, strings } from '../../machinery/flags/kinds.ts'
import { compilePattern } from '../../machinery/structural/pattern.ts'
import { OptionsError } from '../options-error.ts'

const MINUTE = 60_000

/** Limits of requests, and the server's shutdown. */
export const REQUEST_FLAGS = {
  'max-requests-inflight': int(400, {
    help: 'how many requests run at once, together with --max-mutating-requests-inflight; without fairness: how many that read',
  }),
  'max-mutating-requests-inflight': int(200, { help: 'how many writing requests run at once' }),
  'enable-priority-and-fairness': bool(true, {
    help: 'queue requests by flow schemas and priority levels; otherwise those beyond the limits are rejected',
  }),
  'request-timeout': duration(MINUTE, { help: 'the longest time of a request' }),
  'min-request-timeout': int(1800, { help: 'a watch that names no time lasts between so many seconds and twice as many' }),
  'goaway-chance': float(0, { help: 'the share of HTTP/2 requests after which the client connects again, through the load balancer' }),
  'livez-grace-period': duration(0, harmless),
  'shutdown-delay-duration': duration(0, { help: 'how long the server still serves after the signal; it is not ready during that time' }),
  'shutdown-send-retry-after': bool(false, harmless),
  'shutdown-watch-termination-grace-period': duration(0, harmless),
  'strict-transport-security-directives': strings([], {
    help: 'the header Strict-Transport-Security: max-age=SECONDS, includeSubDomains, preload',
  }),
  'cors-allowed-origins': strings([], { help: 'the origins, as regular expressions, whose scripts browsers let read responses' }),
  'max-connection-bytes-per-sec': int(0, harmless),
}

export type RequestValues = FlagValues<typeof REQUEST_FLAGS>

export interface RequestOptions {
  /** Most requests at once; with priority and fairness their sum, over all priority levels. */
  readonly inFlight: { readonly reading: number; readonly writing: number }
  /** Requests are queued by priority and fairness. */
  readonly fair: boolean
  /** Time limit of a request that is not long-running. */
  readonly timeoutMs: number
  readonly shutdownDelayMs: number
  /** The share of HTTP/2 requests that are answered with GOAWAY. */
  readonly goawayChance: number
  /** How long a watch that names no time lasts, at least. */
  readonly minWatchMs: number
  /** Regular expressions of the origins whose scripts browsers let read responses. */
  readonly allowedOrigins: readonly string[]
  /** The header `Strict-Transport-Security`; empty: it is not sent. */
  readonly strictTransport: string
}

export function requestFaults({ values }: { readonly values: RequestValues }): string[] {
  const faults: string[] = []
  const negative = (name: keyof RequestValues & string, says = 'can not be negative value') => {
    if (Number(values[name]) < 0) faults.push(`--${name} ${says}`)
  }
  negative('livez-grace-period', 'can not be a negative value')
  negative('max-requests-inflight')
  negative('max-mutating-requests-inflight')
  negative('request-timeout')
  const chance = values['goaway-chance']
  if (chance < 0 || chance > 0.02) faults.push('--goaway-chance can not be less than 0 or greater than 0.02')
  negative('min-request-timeout')
  negative('shutdown-delay-duration')
  negative('shutdown-watch-termination-grace-period')
  if (values['strict-transport-security-directives'].some((d) => !/^(includeSubDomains|preload|max-age=\d+)$/.test(d)))
    faults.push(
      '--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information',
    )
  faults.push(...originFaults(values['cors-allowed-origins']))
  return faults
}

/** An expression has to match from where the host begins to where it ends, or `https://a.example.attacker` would be allowed too. */
function originFaults(patterns: readonly string[]): string[] {
  const fault = (why: string) => [`--cors-allowed-origins has an invalid regular expression: ${why}`]
  for (const pattern of patterns) {
    const compiled = compilePattern(pattern)
    if (typeof compiled === 'string') return fault(compiled)
    if (!/\^|\/\//.test(pattern) || !/[$:]/.test(pattern))
      return fault('regular expression does not pin to start/end of host in the origin header')
  }
  return []
}

/** Faults that Kubernetes finds when it creates the server's flow control. */
export function checkConcurrency({ values }: { readonly values: RequestValues }): void {
  const [reading, writing] = [values['max-requests-inflight'], values['max-mutating-requests-inflight']]
  if (values['enable-priority-and-fairness'] && reading + writing <= 0)
    throw new OptionsError(
      'bad-option',
      `invalid configuration: MaxRequestsInFlight=${reading} and MaxMutatingRequestsInFlight=${writing}; they must add up to something positive`,
    )
}

export const readRequests = ({ values }: { readonly values: RequestValues }): RequestOptions => ({
  inFlight: { reading: values['max-requests-inflight'], writing: values['max-mutating-requests-inflight'] },
  fair: values['enable-priority-and-fairness'],
  timeoutMs: values['request-timeout'],
  shutdownDelayMs: values['shutdown-delay-duration'],
  goawayChance: values['goaway-chance'],
  minWatchMs: values['min-request-timeout'] * 1000,
  allowedOrigins: values['cors-allowed-origins'],
  strictTransport: values['strict-transport-security-directives'].join('; '),
})
