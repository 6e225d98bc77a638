import type { AdmissionPlugin, AdmissionRequest } from '../../apiserver/admission/plugin.ts'
import type { Clock } from '../../base/clock.ts'
import { TokenBucket } from '../../base/token-bucket.ts'
import { type FieldError, faultText, invalid, notSupported, reportedFaults } from '../../machinery/field-error.ts'
import { goInt32, goString, listOf, struct } from '../../machinery/go/go-type.ts'
import { joinErrors } from '../../machinery/join-errors.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { Event } from '../../resources/types/core.ts'
import { decodePluginConfiguration, PluginConfigurationError } from './configuration/plugin-configuration.ts'

type LimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject'

export interface EventLimit {
  readonly type: LimitType
  readonly qps: number
  readonly burst: number
  /** The most keys with a bucket. */
  readonly cacheSize: number
}

const TYPES: readonly LimitType[] = ['Server', 'Namespace', 'User', 'SourceAndObject']
const KEYS = 4096

interface WrittenLimit {
  readonly type?: string
  readonly qps?: number
  readonly burst?: number
  readonly cacheSize?: number
}

/** Parses the plugin's configuration, which is required. @throws {PluginConfigurationError} */
export function readEventLimits(text: string | undefined): readonly EventLimit[] {
  const written = text === undefined ? undefined : decode(text)
  const limits = written ?? []
  const faults = reportedFaults(limits.length === 0 ? [invalid('limits', written ?? null, 'must not be empty')] : limitFaults(limits))
  if (faults.length > 0) throw new PluginConfigurationError(joinErrors(faults.map(faultText)))
  return limits.flatMap(({ type: written, qps = 0, burst = 0, cacheSize }) => {
    const type = TYPES.find((known) => known === written)
    return type === undefined ? [] : [{ type, qps, burst, cacheSize: cacheSize || KEYS }]
  })
}

function decode(text: string): readonly WrittenLimit[] | undefined {
  const value = decodePluginConfiguration(text, {
    group: 'eventratelimit.admission.k8s.io',
    versions: ['v1alpha1'],
    kind: 'Configuration',
    type: (version) =>
      struct(`${version}.Configuration`, {
        limits: listOf(struct(`${version}.Limit`, { type: goString, qps: goInt32, burst: goInt32, cacheSize: goInt32 })),
      }),
    strict: false,
  })
  return (value as { limits?: readonly WrittenLimit[] }).limits
}

function limitFaults(limits: readonly WrittenLimit[]): FieldError[] {
  return limits.flatMap(({ type = '', qps = 0, burst = 0, cacheSize = 0 }, i) => {
    const at = `limits[${i}]`
    return [
      ...(TYPES.some((known) => known === type) ? [] : [notSupported(`${at}.type`, type, TYPES)]),
      ...(burst <= 0 ? [invalid(`${at}.burst`, burst, 'must be positive')] : []),
      ...(qps <= 0 ? [invalid(`${at}.qps`, qps, 'must be positive')] : []),
      ...(type !== 'Server' && cacheSize < 0 ? [invalid(`${at}.cacheSize`, cacheSize, 'must not be negative')] : []),
    ]
  })
}

/** Limits the rate of events. Off unless it is enabled. */
export function eventRateLimit(limits: readonly EventLimit[], { clock }: { readonly clock: Clock }): AdmissionPlugin<Event> {
  const enforcers = limits.map((limit) => ({ limit, bucketOf: buckets(limit, clock) }))
  return {
    name: 'EventRateLimit',
    handles: (r) => (r.operation === 'CREATE' || r.operation === 'UPDATE') && r.kind.kind === 'Event' && r.kind.group === '' && !r.dryRun,
    validate(request) {
      // Each limit counts the event, even if another one is exceeded.
      const reached = enforcers.flatMap(({ limit, bucketOf }) => {
        const key = keyOf(limit.type, request)
        return bucketOf(key).take() ? [] : [`limit reached on type ${limit.type} for key ${key}`]
      })
      if (reached.length === 0) return
      throw new StatusError({ code: 429, reason: 'TooManyRequests', message: `Too many requests: ${joinErrors(reached)}` })
    },
  }
}

/** One bucket per key; with too many keys the least recently used one is dropped. */
function buckets({ qps, burst, cacheSize }: EventLimit, clock: Clock): (key: string) => TokenBucket {
  const known = new Map<string, TokenBucket>()
  return (key) => {
    const bucket = known.get(key) ?? new TokenBucket({ perSecond: qps, burst }, clock)
    known.delete(key)
    known.set(key, bucket)
    const [oldest] = known.keys()
    if (known.size > cacheSize && oldest !== undefined) known.delete(oldest)
    return bucket
  }
}

function keyOf(type: LimitType, { namespace, user, object: event }: AdmissionRequest<Event>): string {
  switch (type) {
    case 'Server':
      return ''
    case 'Namespace':
      return namespace
    case 'User':
      return user.name
    case 'SourceAndObject': {
      const { source, involvedObject: about } = event ?? {}
      const parts = [source?.component, source?.host, about?.kind, about?.namespace, about?.name, about?.uid, about?.apiVersion]
      return parts.map((part) => part ?? '').join('')
    }
  }
}
