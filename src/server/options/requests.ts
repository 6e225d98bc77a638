import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, float, harmless, int, strings } from '../../machinery/flags/kinds.ts'

const MINUTE = 60_000

/** How many requests, how long, and what happens to them when the server ends. */
export const REQUEST_FLAGS = {
  'max-requests-inflight': int(400, { help: 'with the next one: how many requests run at once' }),
  'max-mutating-requests-inflight': int(200, { help: 'how many of them write' }),
  'enable-priority-and-fairness': bool(true),
  'request-timeout': duration(MINUTE, { help: 'how long a request may take' }),
  'min-request-timeout': int(1800, { help: 'how many seconds a watch lasts at least' }),
  'goaway-chance': float(0, harmless),
  'livez-grace-period': duration(0, harmless),
  'shutdown-delay-duration': duration(0, { help: 'how long the server goes on after the signal, not ready any more' }),
  'shutdown-send-retry-after': bool(false),
  'shutdown-watch-termination-grace-period': duration(0, harmless),
  'strict-transport-security-directives': strings(),
  'cors-allowed-origins': strings(),
  'max-connection-bytes-per-sec': int(0, harmless),
}

type RequestValues = FlagValues<typeof REQUEST_FLAGS>

export interface RequestOptions {
  /** Requests that run at once, over all priority levels. */
  readonly concurrency: number
  readonly shutdownDelayMs: number
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
  return faults
}

export const readRequests = ({ values }: { readonly values: RequestValues }): RequestOptions => ({
  concurrency: values['max-requests-inflight'] + values['max-mutating-requests-inflight'],
  shutdownDelayMs: values['shutdown-delay-duration'],
})
