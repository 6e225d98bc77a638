import type { Json, JsonObject } from '../../../src/machinery/object.ts'

/** One observation of the real kubelet. */
export interface Fact extends JsonObject {
  readonly fact: string
}

/**
 * The differences from the recording, in the compared fields. The kubelet's choice among equal devices is random (it iterates over a Go
 * map), so that lists of devices are compared by length; times, ids and the order of events are not compared.
 */
export function difference(fact: Fact, seen: JsonObject): readonly string[] {
  const out: string[] = []
  for (const [key, value] of Object.entries(seen)) {
    const [a, b] = [normal(key, fact[key] ?? null), normal(key, value ?? null)]
    if (JSON.stringify(a) !== JSON.stringify(b)) out.push(`${key}: recorded ${JSON.stringify(a)}, seen ${JSON.stringify(b)}`)
  }
  return out
}

/** Events of the node's setup, or with a random count. */
const NO_FACTS = new Set(['MissingClusterDNS', 'Pulled', 'Pulling', 'BackOff'])
/** Status fields that depend on timing, or on the machine of the recording. */
const NO_FIELDS = new Set([
  'seconds',
  'at',
  'startTime',
  'startedAt',
  'finishedAt',
  'lastTransitionTime',
  'containerID',
  'imageID',
  'image',
  'hostIP',
  'hostIPs',
  'podIP',
  'podIPs',
  'volumeMounts',
  'observedGeneration',
  'statusUpdateEvery',
  'Checksum',
  'cpuset',
  'mems',
  'AllocResp',
  'user',
])

function normal(key: string, value: Json): Json {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isDevice)) return `<${value.length} devices>`
    if (key === 'events')
      return sorted(dedupe(value.filter((e) => !NO_FACTS.has(String((e as JsonObject).reason))).map((v) => normal('', v))))
    if (key === 'files') return sorted(value.filter((f) => !String(f).startsWith('.')))
    const all = value.map((v) => normal('', v))
    // The plugin's registration and its stream race.
    if (key === 'calls' && value.every((v) => typeof v === 'string')) return sorted(all)
    return key === 'conditions' ? sorted(all) : key === 'devices' || key === 'resources' ? sorted(all) : all
  }
  if (value === null || typeof value !== 'object') return value
  // Not every runtime reports the reason of an end.
  if (key === 'terminated') return { exitCode: value.exitCode ?? null }
  // A cgroup without a limit reads as 0 on the machine of the recording.
  const entries = Object.entries(value).filter(([k, v]) => !NO_FIELDS.has(k) && !(k === 'memory' && v === '0'))
  return Object.fromEntries(entries.map(([k, v]): [string, Json] => [k, normal(k, v ?? null)]).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const isDevice = (v: Json) => typeof v === 'string' && /^d\d$/.test(v)

function text(value: string): Json {
  const answer = /^(\{.*\}) <nil>$/s.exec(value)
  if (answer?.[1] !== undefined) return normal('', JSON.parse(answer[1]) as Json)
  return value.replace(/\bd\d\b/g, '<device>').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uid>')
}

const sorted = (values: readonly Json[]): Json[] => [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
const dedupe = (values: readonly Json[]): Json[] => [...new Map(values.map((v) => [JSON.stringify(v), v])).values()]
