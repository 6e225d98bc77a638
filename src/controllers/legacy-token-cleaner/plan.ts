import { cloneJson, type Json, type JsonObject } from '../../machinery/object.ts'
import { dayOf, INVALID_SINCE, LAST_USED } from '../../machinery/resource/legacy-token-labels.ts'
import type { ConfigMap, Pod, Secret, ServiceAccount } from '../../resources/types/core.ts'

const TOKEN_TYPE = 'kubernetes.io/service-account-token'
const DAY_MS = 86_400_000

/** The decision about a token that was not used for long: it is invalidated first, and deleted if it was not used for as long again. */
export type LegacyTokenPlan = 'keep' | 'invalidate' | 'delete'

/** By which time a token is judged. */
export interface LegacyTokenTime {
  readonly nowMs: number
  /** How long a token may be unused. */
  readonly periodMs: number
}

/** When a day begins; undefined when it is none. */
function startOf(day: Json | undefined): number | undefined {
  if (typeof day !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  const ms = Date.parse(day)
  return !Number.isNaN(ms) && dayOf(ms) === day ? ms : undefined
}

/** Whether uses were written down for so long that a token without any has none. The day on which that began does not count. Pure. */
export function isTrackedLongEnough(tracking: ConfigMap | undefined, { nowMs, periodMs }: LegacyTokenTime): boolean {
  const since = startOf(tracking?.data?.since)
  return since !== undefined && nowMs >= since + DAY_MS + periodMs
}

/** Decides about one secret. `account` is the one that it names, `mounted` whether a pod of its namespace mounts it. Pure. */
export function planLegacyToken(
  secret: Secret,
  { account, mounted }: { readonly account: ServiceAccount | undefined; readonly mounted: () => boolean },
  { nowMs, periodMs }: LegacyTokenTime,
): LegacyTokenPlan {
  const { metadata, type } = secret
  const fromMs = nowMs - periodMs
  if (type !== TOKEN_TYPE || metadata.deletionTimestamp !== undefined) return 'keep'
  if (!(Date.parse(metadata.creationTimestamp ?? '') < fromMs)) return 'keep'
  const used = metadata.labels?.[LAST_USED]
  // A label that cannot be parsed is no evidence that the token is unused.
  if (used !== undefined && (startOf(used) === undefined || used >= dayOf(fromMs))) return 'keep'
  if (!isGenerated(secret, account) || mounted()) return 'keep'
  const invalid = metadata.labels?.[INVALID_SINCE]
  if (startOf(invalid) === undefined) return 'invalidate'
  return invalid !== undefined && invalid < dayOf(fromMs) ? 'delete' : 'keep'
}

/** Tokens that people made are named by no account. */
function isGenerated({ metadata }: Secret, account: ServiceAccount | undefined): boolean {
  const uid = metadata.annotations?.['kubernetes.io/service-account.uid']
  if (account === undefined || (uid && uid !== account.metadata.uid)) return false
  return (account.secrets ?? []).some((r) => r.name === metadata.name)
}

/** How a pod names a secret: in its volumes, variables, and for its images. */
const REFERENCES: ReadonlySet<string> = new Set(['secret', 'secretRef', 'secretKeyRef', 'nodePublishSecretRef', 'imagePullSecrets'])

/** The secrets that the pods name. Pure. */
export function secretsOf(pods: Iterable<Pod>): ReadonlySet<string> {
  const names = new Set<string>()
  const walk = (value: Json | undefined, key: string) => {
    if (Array.isArray(value)) for (const item of value) walk(item, key)
    if (typeof value === 'string' && key === 'secretName') names.add(value)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return
    if (REFERENCES.has(key) && typeof value.name === 'string') names.add(value.name)
    for (const [inner, held] of Object.entries(value)) walk(held, inner)
  }
  // A pod's spec is JSON; the keys of its node selector are labels, not fields.
  for (const { spec } of pods) walk(cloneJson<unknown>({ ...spec, nodeSelector: null }) as JsonObject, '')
  return names
}
