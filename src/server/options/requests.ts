import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, float, harmless, int, refused, strings } from '../../machinery/flags/kinds.ts'
import { OptionsError } from '../options-error.ts'

const MINUTE = 60_000

/** Limits of requests, and the server's shutdown. */
export const REQUEST_FLAGS = {
  'max-requests-inflight': int(400, { help: 'how many requests run at once, together with --max-mutating-requests-inflight' }),
  'max-mutating-requests-inflight': int(200, { help: 'how many writing requests run at once' }),
  'enable-priority-and-fairness': bool(true, refused('requests are always queued by priority and fairness')),
  'request-timeout': duration(MINUTE, { help: 'the longest time of a request' }),
  'min-request-timeout': int(1800, refused('watches that ask for no time limit end after 30 to 60 minutes')),
  'goaway-chance': float(0, { help: 'the share of HTTP/2 requests after which the client connects again, through the load balancer' }),
  'livez-grace-period': duration(0, harmless),
  'shutdown-delay-duration': duration(0, { help: 'how long the server still serves after the signal; it is not ready during that time' }),
  'shutdown-send-retry-after': bool(false, harmless),
  'shutdown-watch-termination-grace-period': duration(0, harmless),
  'strict-transport-security-directives': strings([], refused('that header is not sent')),
  'cors-allowed-origins': strings([], refused('requests of other origins are not answered for browsers')),
  'max-connection-bytes-per-sec': int(0, harmless),
}

type RequestValues = FlagValues<typeof REQUEST_FLAGS>

export interface RequestOptions {
  /** Concurrent requests, over all priority levels. */
  readonly concurrency: number
  /** Time limit of a request that is not long-running. */
  readonly timeoutMs: number
  readonly shutdownDelayMs: number
  /** The share of HTTP/2 requests that are answered with GOAWAY. */
  readonly goawayChance: number
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
  return faults
}

/** Faults that Kubernetes finds when it creates the server. */
export function checkConcurrency({ values }: { readonly values: RequestValues }): void {
  const [reading, writing] = [values['max-requests-inflight'], values['max-mutating-requests-inflight']]
  if (reading + writing <= 0)
    throw new OptionsError(
      'bad-option',
      `invalid configuration: MaxRequestsInFlight=${reading} and MaxMutatingRequestsInFlight=${writing}; they must add up to something positive`,
    )
}

export const readRequests = ({ values }: { readonly values: RequestValues }): RequestOptions => ({
  concurrency: values['max-requests-inflight'] + values['max-mutating-requests-inflight'],
  timeoutMs: values['request-timeout'],
  shutdownDelayMs: values['shutdown-delay-duration'],
  goawayChance: values['goaway-chance'],
})
