import type { TrialCall, TrialScene } from './operator-report.ts'

/** An item with a position in time: parts of the whole width, 0 to 1. */
export interface TimelineItem {
  readonly from: number
  readonly to: number
  readonly kind: 'life' | 'change' | 'request' | 'watch'
  readonly title: string
  readonly verb?: string
  readonly refused?: boolean
  readonly vain?: boolean
  readonly faulty?: boolean
}

/** An object or a collection, and what happened to it. */
export interface TimelineLane {
  readonly name: string
  readonly items: readonly TimelineItem[]
}

/** A scene, laid out: what is drawn, and where. */
export interface Timeline {
  readonly endMs: number
  readonly marks: readonly { readonly at: number; readonly atMs: number; readonly what: string }[]
  /** When each run of the program sent its first request. */
  readonly runs: readonly { readonly from: number; readonly to: number; readonly run: number }[]
  /** Objects first, in the order in which they came; collections after them. */
  readonly lanes: readonly TimelineLane[]
}

/** An idle time takes no more room than this, however long it lasts. */
const LONGEST_GAP_MS = 250

/** Maps times to positions; long idle times are shortened. */
export function timeScale(times: readonly number[]): (ms: number) => number {
  const sorted = [...new Set([0, ...times])].sort((a, b) => a - b)
  const places = new Map<number, number>()
  let place = 0
  for (const [i, ms] of sorted.entries()) {
    place += Math.min(LONGEST_GAP_MS, ms - (sorted[i - 1] ?? ms))
    places.set(ms, place)
  }
  return (ms) => (place === 0 ? 0 : (places.get(ms) ?? place) / place)
}

/** Lays a scene out. */
export function timelineOf({ calls, marks, objects }: TrialScene): Timeline {
  const shown = calls.filter((c) => c.target !== undefined)
  const times = [...shown.flatMap((c) => [c.atMs, c.doneMs ?? c.atMs]), ...marks.map((m) => m.atMs), ...objects.map((o) => o.atMs)]
  const endMs = Math.max(0, ...times)
  const at = timeScale(times)
  const lanes = new Map<string, TimelineItem[]>()
  const into = (name: string, item: TimelineItem) => {
    const lane = lanes.get(name)
    if (lane === undefined) lanes.set(name, [item])
    else lane.push(item)
  }
  const came = new Map<string, number>()
  const life = (name: string, fromMs: number, toMs: number, went: boolean) =>
    into(name, {
      from: at(fromMs),
      to: at(toMs),
      kind: 'life',
      title: `${name} existed from ${fromMs} ms ${went ? `to ${toMs} ms` : 'on'}`,
    })
  for (const { atMs, lane, what } of objects) {
    if (what === 'went') {
      life(lane, came.get(lane) ?? 0, atMs, true)
      came.delete(lane)
    } else if (!came.has(lane)) came.set(lane, atMs)
    if (what === 'changed') into(lane, { from: at(atMs), to: at(atMs), kind: 'change', title: `${atMs} ms: ${lane} changed` })
  }
  for (const [name, atMs] of came) life(name, atMs, endMs, false)
  const objectLanes = [...new Set(objects.map((o) => o.lane))]
  const named = new Set(objectLanes)
  for (const call of shown) into(laneOf(call, named), itemOf(call, at, endMs))
  const rest = [...lanes.keys()].filter((name) => !named.has(name)).sort()
  return {
    endMs,
    marks: marks.map(({ atMs, what }) => ({ at: at(atMs), atMs, what })),
    runs: runsOf(shown, at),
    lanes: [...objectLanes, ...rest].flatMap((name) => ({ name, items: lanes.get(name) ?? [] })),
  }
}

function runsOf(calls: readonly TrialCall[], at: (ms: number) => number): Timeline['runs'] {
  const first = new Map<number, number>()
  for (const { life, atMs } of calls) if (!first.has(life)) first.set(life, at(atMs))
  const runs = [...first]
  return runs.map(([run, from], i) => ({ run, from, to: runs[i + 1]?.[1] ?? 1 }))
}

/** Subresources are drawn with their object, where it is drawn; what is made by its collection, with the collection. */
function laneOf({ target }: TrialCall, objects: ReadonlySet<string>): string {
  if (target === undefined) return ''
  const { resource, namespace, name, subresource } = target
  const place = [namespace, name].filter((p) => p !== '').join('/')
  const object = `${resource} ${place}`
  if (name !== '' && objects.has(object)) return object
  return `${resource}${subresource === '' ? '' : `/${subresource}`}${place === '' ? '' : ` ${place}`}`
}

/** `201`, `409 (a fault)`, `200 (changed nothing)`, `no answer`. */
export function outcomeText({ code, changed, fault }: TrialCall): string {
  const why = fault ?? (changed === false ? 'changed nothing' : '')
  return `${code ?? 'no answer'}${why === '' ? '' : ` (${why})`}`
}

function itemOf(call: TrialCall, at: (ms: number) => number, endMs: number): TimelineItem {
  const { verb, atMs, doneMs, code, changed, fault, life } = call
  const title = `${atMs} ms, run ${life}: ${verb} ${call.path} → ${outcomeText(call)}`
  return {
    from: at(atMs),
    to: verb === 'watch' ? at(doneMs ?? endMs) : at(atMs),
    kind: verb === 'watch' ? 'watch' : 'request',
    verb,
    title,
    refused: (code ?? 500) >= 400,
    vain: changed === false,
    faulty: fault !== undefined,
  }
}
