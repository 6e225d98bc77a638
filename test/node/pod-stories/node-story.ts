import { VirtualClock } from '../../../src/base/clock.ts'
import { seededRandom } from '../../../src/base/random.ts'
import { CORE_EVENTS, NODES } from '../../../src/resources/refs.ts'
import type { Event, Node } from '../../../src/resources/types/core.ts'
import type { Client } from '../../../src/sdk/client/client.ts'
import { startCluster } from '../../../src/testing/start-cluster.ts'
import { openManifests } from './manifests.ts'
import { act, NotPlayable, openStage, type Stage, type StageDeps, startAgent } from './play.ts'
import type { NodeRow, ReportedEvent, Step, Story } from './story.ts'
import { restartSteps } from './story-kubelet.ts'

/** How long the kubelet had run when a story of its node started. */
const BEFORE_MS = 17_000

/** Plays a story about the node alone; returns the differences. */
export async function playNode(story: Story): Promise<readonly string[]> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const random = seededRandom(7)
  await using cluster = await startCluster({ parts: ['server', 'controllers', 'nodes'], nodes: 0 }, { clock, random })
  const client = cluster.client()
  await using manifests = openManifests(story)
  const deps: StageDeps = { client, clock, random, manifests }
  const stage = openStage(story, { name: 'node-1' }, deps)
  await startAgent(stage, deps)
  await clock.advance(BEFORE_MS)
  const startMs = clock.now()
  const rows: NodeRow[] = []
  const watching = new AbortController()
  const watch = collect(client, rows, watching.signal)
  try {
    await follow(stage, [...stepsOf(story), ...restartSteps(story)], deps, startMs)
    await clock.advance(Math.max(0, startMs + 70_000 - clock.now()))
    const { items } = await client.list({ ...CORE_EVENTS, namespace: 'default' })
    const events = items.filter((e) => e.involvedObject?.kind === 'Node' && Date.parse(e.lastTimestamp ?? '') >= startMs - 1000)
    return [...rowDifferences(story.node ?? [], rows), ...eventDifferences(story.events, events)]
  } finally {
    watching.abort()
    stage.agent?.stop.abort()
    await Promise.all([watch, stage.agent?.done, clock.advance(10)])
  }
}

async function follow(stage: Stage, steps: readonly Step[], { clock, random }: StageDeps, startMs: number): Promise<void> {
  for (const step of [...steps].sort((a, b) => a.at - b.at)) {
    await clock.advance(Math.max(0, startMs + step.at * 1000 - clock.now()))
    await act(stage, step, random)
    await clock.settle()
  }
}

/** The faults of the runtime, from the story's note. */
function stepsOf({ note = '', story }: Story): readonly Step[] {
  const [, what = '', from = '', to = ''] = /^(.*?) from (\d+) to (\d+)$/.exec(note) ?? []
  if (what === '') {
    if (/started again at/.test(note)) return []
    throw new NotPlayable(`${story}: ${note}`)
  }
  const faults = {
    'NetworkReady false': { networkReady: false },
    'RuntimeReady false': { ready: false },
    'every listing call of the runtime answers with an error': { errors: { Status: 'connection error: the fake runtime is down' } },
  } as const
  const set = Object.entries(faults).find(([words]) => words === what)?.[1]
  if (set === undefined) throw new NotPlayable(`${story}: ${note}`)
  return [
    { at: Number(from), do: 'runtime', set },
    { at: Number(to), do: 'runtime', set: {} },
  ]
}

async function collect(client: Client, rows: NodeRow[], signal: AbortSignal): Promise<void> {
  try {
    for await (const events of client.watch(NODES, { fieldSelector: 'metadata.name=node-1', signal }))
      for (const { type, object } of events) if (type !== 'BOOKMARK') rows.push(rowOf(object))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function rowOf({ status, spec }: Node): NodeRow {
  const conditions = (status?.conditions ?? []).map(({ type, status: is, reason, message }) => ({
    type,
    status: is,
    reason,
    message,
  }))
  // Evictions by taint are up to the node controller: if no node of a cluster is ready, it sets no taint.
  const taints = (spec?.taints ?? []).filter((t) => t.effect !== 'NoExecute')
  return { conditions, taints: taints.map(({ key, effect }) => ({ key, effect })) }
}

/** The recorded rows have to appear in order; ours may have more between them. */
function rowDifferences(wanted: readonly NodeRow[], got: readonly NodeRow[]): string[] {
  const say = ({ conditions, taints }: NodeRow) =>
    [...conditions.map((c) => `${c.type}=${c.status} ${c.reason}: ${c.message}`), ...taints.map((t) => `${t.key}:${t.effect}`)]
      .sort()
      .join('; ')
  const said = got.map(say)
  let from = 0
  for (const [i, row] of wanted.entries()) {
    const at = said.indexOf(say(row), from)
    if (at < 0) return [`row ${i + 1} of ${wanted.length}: wanted ${say(row)} got ${[...new Set(said.slice(from))].join(' | ')}`]
    from = at
  }
  return []
}

/** Events about the machine of the recording. */
const MACHINE = new Set(['CgroupV1'])

function eventDifferences(reported: readonly ReportedEvent[], got: readonly Event[]): string[] {
  const say = (e: { readonly type?: unknown; readonly reason?: unknown; readonly message?: unknown }) =>
    `${e.type} ${e.reason}: ${e.message}`
  const wanted = new Set(reported.filter((e) => !MACHINE.has(e.reason)).map(say))
  const own = new Set(got.filter((e) => e.source?.component === 'kubelet').map((e) => say(e)))
  return [
    ...[...wanted].filter((w) => !own.has(w)).map((w) => `event missing: ${w}`),
    ...[...own].filter((o) => !wanted.has(o)).map((o) => `event too many: ${o}`),
  ]
}
