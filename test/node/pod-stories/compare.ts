import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Played } from './play.ts'
import type { Call, ReportedEvent, ReportedStatus, Story } from './story.ts'

/**
 * The differences between a played story and the recorded one; empty if there are none. The recorded statuses have to appear in order (ours
 * may have more between them: the kubelet merges those within a second), the events have to be the same set, and the calls the same
 * sequence.
 */
export function differences(story: Story, played: Played): string[] {
  return [...statusDifferences(story, played), ...eventDifferences(story, played), ...callDifferences(story, played)]
}

function statusDifferences(story: Story, played: Played): string[] {
  const wanted = distinct(withoutRaces((story.statuses ?? []).filter((s) => s.of === undefined)).map(essence))
  const got = distinct(played.statuses.map(essence))
  let from = 0
  for (const [i, step] of wanted.entries()) {
    const at = got.indexOf(step, from)
    if (at >= 0) {
      from = at + 1
      continue
    }
    const rest = got.slice(from)
    const nearest = rest.map((r) => ({ r, score: likeness(r, step) })).sort((a, b) => b.score - a.score)[0]
    return [`status ${i + 1} of ${wanted.length}: ${firstDifference(step, nearest?.r ?? 'nothing more')}`]
  }
  return []
}

/**
 * The kubelet reports the end of a pod and that of its sandbox independently: if the recording has a terminal phase while the sandbox
 * exists, and the same again without it, the first depends on timing.
 */
const withoutRaces = (statuses: readonly ReportedStatus[]): readonly ReportedStatus[] =>
  statuses.filter((reported, i) => {
    const next = statuses[i + 1]
    const { phase } = reported.status
    if (next === undefined || (phase !== 'Succeeded' && phase !== 'Failed')) return true
    const [now, then] = [reported, next].map(({ status, ...rest }) => essence({ ...rest, status: withoutSandbox(status) }))
    return now !== then
  })

const withoutSandbox = (status: JsonObject): JsonObject => ({
  ...status,
  conditions: ((status.conditions ?? []) as JsonObject[]).filter((c) => c.type !== 'PodReadyToStartContainers'),
})

const distinct = (steps: readonly string[]) => steps.filter((s, i) => i === 0 || s !== steps[i - 1])

/** Everything except for times, ids, addresses and digests. */
function essence({ event, deletionGracePeriodSeconds, status }: ReportedStatus): string {
  const { resources, ...ended } = status
  // How much of an ended pod's cgroup was removed when it was read depends on timing.
  const kept = hasEnded(status) ? ended : { ...ended, ...(resources !== undefined && { resources }) }
  return JSON.stringify(scrub({ event, grace: deletionGracePeriodSeconds ?? null, status: kept } as unknown as JsonObject, ''))
}

const hasEnded = ({ conditions }: JsonObject) =>
  ((conditions ?? []) as unknown as { type: string; reason?: string }[]).some(
    (c) => c.type === 'Ready' && (c.reason === 'PodFailed' || c.reason === 'PodCompleted'),
  )

const TIMES = new Set(['startTime', 'startedAt', 'finishedAt', 'lastTransitionTime', 'lastProbeTime', 'lastHeartbeatTime'])

function scrub(value: Json | undefined, name: string): Json {
  if (value === undefined || value === null) return null
  if (TIMES.has(name)) return '<time>'
  if (name === 'containerID') return '<id>'
  if (name === 'podIP' || name === 'ip' || name === 'hostIP') return '<ip>'
  if (name === 'imageID') return value === '' ? '' : '<image>'
  if (Array.isArray(value)) {
    const items = value.map((v) => scrub(v, ''))
    return name === 'conditions'
      ? [...items].sort((a, b) => String((a as JsonObject).type).localeCompare(String((b as JsonObject).type)))
      : items
  }
  if (typeof value === 'object') {
    const sorted = Object.entries(value).sort(([a], [b]) => a.localeCompare(b))
    return Object.fromEntries(sorted.map(([k, v]) => [k, scrub(v, k)]))
  }
  return typeof value === 'string' ? text(value) : value
}

/** Texts without UIDs, addresses, random suffixes and durations. */
function text(value: string): string {
  return (
    value
      .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<suffix>')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
      // The UID of a static pod is a hash of its manifest.
      .replace(/\b[0-9a-f]{32}\b/g, '<uid>')
      .replace(/10\.85\.0\.\d+|<podIP-\d+>/g, '<ip>')
      .replace(/used: \d+, capacity: \d+/g, 'used: <others>, capacity: <its own>')
      .replace(/\b[\d.]+m?s \([\d.]+m?s including waiting\)/, '<span>')
  )
}

function eventDifferences(story: Story, played: Played): string[] {
  const say = (e: ReportedEvent) => `${e.type} ${e.reason} ${e.fieldPath ?? ''}: ${text(e.message)}`
  // Whether a probe runs when its container or its runtime ends depends on timing.
  // So does a last check of a volume after its pod was released.
  const moments = ['errored and resulted in unknown state', '"kube-root-ca.crt" not registered']
  const sure = (e: ReportedEvent) => e.of === undefined && !moments.some((m) => e.message.includes(m))
  const wanted = new Set(story.events.filter(sure).map(say))
  const got = new Set(played.events.filter(sure).map(say))
  const inTime = new Set(played.events.filter((e) => sure(e) && !e.late).map(say))
  return [
    ...[...wanted].filter((w) => !got.has(w)).map((w) => `event missing: ${w}`),
    ...[...inTime].filter((g) => !wanted.has(g)).map((g) => `event too many: ${g}`),
  ]
}

/**
 * Calls in order. Not compared: how often something failing was retried within the story, how often a sandbox was stopped, and when the
 * kubelet's garbage collection removed what had ended.
 */
function callDifferences(story: Story, played: Played): string[] {
  const kept = keptOf(story.calls ?? [])
  const sidecars = new Set(((story.pod?.spec.initContainers ?? []) as { name: string }[]).map((c) => c.name))
  const wanted = stopsInOrder(reported(story.calls ?? [], kept), sidecars)
  const got = stopsInOrder(reported(played.calls, kept), sidecars)
  const at = wanted.findIndex((w, i) => got[i] !== w)
  if (at >= 0)
    return [`call ${at + 1}: wanted ${wanted[at]}, got ${got[at] ?? 'none'} (after ${got.slice(Math.max(0, at - 2), at).join(', ')})`]
  const again = new Set(wanted.map((w) => w.split(' {')[0]))
  const inTime = stopsInOrder(
    reported(
      played.calls.filter((c) => !c.late),
      kept,
    ),
    sidecars,
  )
  const more = inTime.slice(wanted.length).find((g) => !again.has(g.split(' {')[0]))
  if (more !== undefined) return [`call too many: ${more}`]
  const execs = (calls: readonly Call[]) =>
    new Set(calls.filter((c) => c.call === 'ExecSync' && c.of === undefined).map((c) => sayCall(c, kept)))
  const missing = [...execs(story.calls ?? [])].filter((e) => !execs(played.calls).has(e))
  return missing.length > 0 ? [`command missing: ${missing[0]}`] : []
}

/** All containers except for sidecars are stopped concurrently: their order depends on timing. */
function stopsInOrder(calls: readonly string[], sidecars: ReadonlySet<string>): readonly string[] {
  const name = (call: string | undefined) => /^StopContainer (\S+)/.exec(call ?? '')?.[1]
  const together = (call: string | undefined) => name(call) !== undefined && !sidecars.has(name(call) ?? '')
  const sorted = [...calls]
  for (let from = 0; from < sorted.length; from++) {
    let to = from
    while (together(sorted[to])) to++
    if (to > from + 1) sorted.splice(from, to - from, ...sorted.slice(from, to).sort())
    from = Math.max(from, to)
  }
  return sorted
}

function reported(calls: readonly Call[], arguments_: ReadonlySet<string>): string[] {
  const kept: string[] = []
  for (const call of calls) {
    if (
      call.of !== undefined ||
      call.call.startsWith('(') ||
      call.call === 'ExecSync' ||
      call.call === 'RemoveContainer' ||
      call.call.endsWith('PodSandboxResources') ||
      call.call === 'RemovePodSandbox'
    )
      continue
    const said = sayCall(call, arguments_)
    // The kubelet updates memory and CPU in separate calls, in an order of its own.
    if (call.call === 'UpdateContainerResources' && kept.includes(said)) continue
    const stoppedBefore = said === 'StopPodSandbox' && kept.lastIndexOf(said) > kept.findLastIndex((k) => k.startsWith('RunPodSandbox'))
    if (!stoppedBefore && said !== kept.at(-1)) kept.push(said)
  }
  return kept
}

const ALWAYS = ['image', 'attempt', 'timeout', 'cmd']
/** Compared only if the story is about them. */
const SOMETIMES = ['envs', 'command', 'args']

const keptOf = (calls: readonly Call[]) =>
  new Set([...ALWAYS, ...SOMETIMES.filter((k) => calls.some((c) => c.call === 'CreateContainer' && c.arg?.[k] !== undefined))])

function sayCall({ call, container, arg = {} }: Call, arguments_: ReadonlySet<string>): string {
  const kept = Object.entries(arg)
    .map(([k, v]): [string, Json | undefined] => [
      k,
      k === 'image' && typeof v === 'object' ? ((v as JsonObject).user_specified_image ?? '') : v,
    ])
    .filter(([k]) => arguments_.has(k) && (call !== 'CreateContainer' || k !== 'timeout'))
  const sorted = kept.map(([k, v]): [string, Json] => [k, k === 'envs' && Array.isArray(v) ? ownEnvs(v) : (v ?? null)])
  sorted.sort(([a], [b]) => a.localeCompare(b))
  for (const [at, [name, value]] of [...sorted.entries()].reverse())
    if (name === 'envs' && Array.isArray(value) && value.length === 0) sorted.splice(at, 1)
  return `${call}${container === undefined ? '' : ` ${container}`}${sorted.length === 0 ? '' : ` ${text(JSON.stringify(Object.fromEntries(sorted)))}`}`
}

const ownEnvs = (envs: readonly Json[]) =>
  envs
    .map((e) => text(JSON.stringify(e)))
    .filter((e) => !e.includes('"KUBERNETES_'))
    .sort()

function likeness(a: string, b: string): number {
  let same = 0
  while (same < a.length && same < b.length && a[same] === b[same]) same++
  let end = 0
  while (end < a.length - same && end < b.length - same && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  return same + end
}

function firstDifference(wanted: string, got: string): string {
  let at = 0
  while (at < wanted.length && wanted[at] === got[at]) at++
  const from = Math.max(0, at - 60)
  return `wanted …${wanted.slice(from, at + 140)}… got …${got.slice(from, at + 140)}…`
}
