import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../../src/machinery/object.ts'
import type { PodStatus } from '../../../src/resources/types/core.ts'
import { scrub } from './scrub.ts'
import type { Played, Story, StoryCall, StoryFact } from './story.ts'

/** How many rows of a recording were played alike, of so many; the differences are for people. */
export interface Comparison {
  readonly calls: Count
  readonly statuses: Count
  readonly events: Count
  readonly facts: Count
  readonly differences: readonly string[]
}

export interface Count {
  readonly same: number
  readonly of: number
}

/** The runtime is asked how things are as often as each agent likes; a removed sandbox comes after the recordings end. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'ContainerStatus',
  'PodSandboxStatus',
  'ImageStatus',
  'RemovePodSandbox',
  'ReopenContainerLog',
])

export function compare(story: Story, played: Played): Comparison {
  const differences: string[] = []
  const statuses = statusesOf(played)
  const brief = new Set(statuses.filter(({ seconds }) => seconds < BRIEF_S).map(({ row }) => row))
  const rows = (name: string, wanted: readonly unknown[], got: readonly unknown[], passes = (_: unknown) => false): Count => {
    const same = commonRows(wanted, got)
    const onlyGot = same.onlyGot.filter((row) => !passes(row))
    for (const row of same.onlyWanted) differences.push(`- ${name} ${JSON.stringify(row)}`)
    for (const row of onlyGot) differences.push(`+ ${name} ${JSON.stringify(row)}`)
    return { same: same.count, of: same.count + Math.max(same.onlyWanted.length, onlyGot.length) }
  }
  return {
    calls: rows('call', callsOf(story), callsOf(played)),
    statuses: rows('status', rowsOf(statusesOf(story)), rowsOf(statuses), (row) => isPassing(row) || brief.has(row)),
    events: rows('event', eventsOf(story), eventsOf(played)),
    facts: rows('fact', factsOf(story), factsOf(played)),
    differences,
  }
}

const callsOf = ({ calls }: Pick<Played, 'calls'>) =>
  withoutClearing(calls.toSorted((a, b) => a.at - b.at))
    .filter(({ call }) => !NOT_COMPARED.has(call))
    .map(({ call, request, error }) => scrub({ call, request: withoutOrder(request), ...(error && { error }) }))
    .filter((row, i, all) => i === 0 || !isDeepStrictEqual(row, all[i - 1]))
    // How often a probe asks between other calls is chance.
    .filter((row, i, all) => (row as StoryCall).call !== 'ExecSync' || all.findIndex((one) => isDeepStrictEqual(one, row)) === i)

const CLEARING: ReadonlySet<string> = new Set(['RemoveContainer', 'StopPodSandbox', 'RemovePodSandbox'])

/** What is cleared up once the last sandbox was stopped: how much of it a recording has depends on when it ended. */
function withoutClearing(calls: readonly StoryCall[]): readonly StoryCall[] {
  const last = calls.findLastIndex(({ call }) => !NOT_COMPARED.has(call) && !CLEARING.has(call))
  const stopped = calls.findIndex(({ call }, i) => i > last && call === 'StopPodSandbox')
  return stopped < 0 ? calls : calls.slice(0, stopped + 1)
}

/** The variables of services come in the order of a map in Go. */
function withoutOrder(request: StoryCall['request']): JsonObject {
  const { config } = request as { config?: { envs?: readonly { readonly key: string }[] } }
  if (config?.envs === undefined) return request
  return { ...request, config: { ...config, envs: config.envs.toSorted((a, b) => (a.key < b.key ? -1 : 1)) } as unknown as JsonObject }
}

/** A kubelet that is busy writes the next status in place of one that lasts for a shorter time. */
const BRIEF_S = 1

/** Such a status: the recorded ones come with and without it. */
const isPassing = (row: unknown) => {
  const { phase, podIP, conditions = [], observedGeneration, containerStatuses = [] } = (row as { readonly status: PodStatus }).status
  const is = (type: string, value: string) => conditions.some((c) => c.type === type && c.status === value)
  const waits = containerStatuses.every(
    (c) => c.state?.waiting?.reason === 'ContainerCreating' || c.state?.waiting?.reason === 'PodInitializing',
  )
  if (phase === 'Pending' && podIP === undefined && waits) return is('PodReadyToStartContainers', 'True')
  return phase === 'Running' && observedGeneration !== 1 && is('Ready', 'True')
}

const statusesOf = ({ statuses }: Pick<Played, 'statuses'>) =>
  statuses
    .toSorted(({ of: a = '' }, { of: b = '' }) => (a < b ? -1 : Number(a > b)))
    .map(({ of, at, event, status }) => ({ of, at, row: scrub({ event, status: withoutChance(status) }) }))
    .filter(({ row }, i, all) => i === 0 || !isDeepStrictEqual(row, all[i - 1]?.row))
    .map(({ of, at, row }, i, all) => ({ row, seconds: all[i + 1]?.of === of ? (all[i + 1]?.at ?? 0) - at : Number.POSITIVE_INFINITY }))

const rowsOf = (statuses: readonly { readonly row: unknown }[]) => statuses.map(({ row }) => row)

/**
 * Times of conditions say when something was written, to the second. What of an ended pod's control group was read before it was removed is
 * chance: the recordings have all of it, none, and parts.
 */
const withoutChance = ({ resources, ...status }: JsonObject): JsonObject =>
  JSON.parse(
    JSON.stringify(
      { ...status, ...(resources !== undefined && !['Succeeded', 'Failed'].includes(String(status.phase)) && { resources }) },
      (key, value) => (key === 'lastTransitionTime' || key === 'startTime' ? undefined : value),
    ),
  )

const eventsOf = ({ events }: Pick<Played, 'events'>) =>
  events
    .filter((e) => !('of' in e && e.of === 'node-1') && e.reason !== 'TaintManagerEviction')
    .map(({ type, reason, message, fieldPath }) => scrub({ type, reason, message, fieldPath }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    .filter((row, i, all) => i === 0 || !isDeepStrictEqual(row, all[i - 1]))

const factsOf = ({ facts }: { readonly facts: readonly StoryFact[] }) =>
  facts
    .filter((f) => f.command !== undefined || f.kubectl !== undefined || f.port !== undefined || f.groups !== undefined)
    .map(({ what, container, on, kubectl, groups, body, stdout = '', code }) => {
      const text = undumped(stdout.trim())
      return scrub({
        what,
        container,
        kubectl,
        body,
        groups: groups && withoutPaths(groups),
        stdout: on === 'node' ? eachOnce(text) : text,
        code,
      })
    })

/** The kernel lists a mount once more for each place that it was passed on to. */
const eachOnce = (text: string) => [...new Set(text.split('\n'))].join('\n')

/** What `od -c` shows as the text that it is, so that times in it are found. */
function undumped(text: string): string {
  if (!/^0000000 {3}/.test(text)) return text
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith('*') ? ['*'] : (line.slice(7).match(/.{1,4}/g) ?? [])))
    .map((cell) => cell.trim() || ' ')
    .join('')
}

const withoutPaths = (groups: NonNullable<StoryFact['groups']>) =>
  Object.fromEntries(Object.entries(groups).map(([name, { path: _, ...files }]) => [name, files]))

/** Rows that both have in the same order (the longest common subsequence), and what is left of each. */
export function commonRows(wanted: readonly unknown[], got: readonly unknown[]) {
  const [a, b] = [wanted, got].map((rows) => rows.map((row) => sorted(row)))
  if (a === undefined || b === undefined) throw new Error('invariant: two lists')
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i]
      if (row !== undefined) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  const onlyWanted: unknown[] = []
  const onlyGot: unknown[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i++
      j++
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) onlyWanted.push(wanted[i++])
    else onlyGot.push(got[j++])
  }
  return { count: at(0, 0), onlyWanted, onlyGot }
}

/** JSON with the keys of objects in order. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([x], [y]) => (x < y ? -1 : 1)))
      : one,
  )
