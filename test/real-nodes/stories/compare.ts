import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../../src/machinery/object.ts'
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
  const rows = (name: string, wanted: readonly unknown[], got: readonly unknown[]): Count => {
    const same = commonRows(wanted, got)
    for (const row of same.onlyWanted) differences.push(`- ${name} ${JSON.stringify(row)}`)
    for (const row of same.onlyGot) differences.push(`+ ${name} ${JSON.stringify(row)}`)
    return { same: same.count, of: Math.max(wanted.length, got.length) }
  }
  return {
    calls: rows('call', callsOf(story), callsOf(played)),
    statuses: rows('status', statusesOf(story), statusesOf(played)),
    events: rows('event', eventsOf(story), eventsOf(played)),
    facts: rows('fact', factsOf(story), factsOf(played)),
    differences,
  }
}

const callsOf = ({ calls }: Pick<Played, 'calls'>) =>
  calls
    .filter(({ call }) => !NOT_COMPARED.has(call))
    .map(({ call, request, error }) => scrub({ call, request: withoutOrder(request), ...(error && { error }) }))
    .filter((row, i, all) => i === 0 || !isDeepStrictEqual(row, all[i - 1]))

/** The variables of services come in the order of a map in Go. */
function withoutOrder(request: StoryCall['request']): JsonObject {
  const { config } = request as { config?: { envs?: readonly { readonly key: string }[] } }
  if (config?.envs === undefined) return request
  return { ...request, config: { ...config, envs: config.envs.toSorted((a, b) => (a.key < b.key ? -1 : 1)) } as unknown as JsonObject }
}

const statusesOf = ({ statuses }: Pick<Played, 'statuses'>) =>
  statuses
    .map(({ event, status }) => scrub({ event, status: withoutTimes(status) }))
    .filter((row, i, all) => i === 0 || !isDeepStrictEqual(row, all[i - 1]))

/** Times of conditions say when something was told, to the second. */
const withoutTimes = (status: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(status, (key, value) => (key === 'lastTransitionTime' || key === 'startTime' ? undefined : value)))

const eventsOf = ({ events }: Pick<Played, 'events'>) =>
  events
    .map(({ type, reason, message, fieldPath }) => scrub({ type, reason, message, fieldPath }))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    .filter((row, i, all) => i === 0 || !isDeepStrictEqual(row, all[i - 1]))

const factsOf = ({ facts }: { readonly facts: readonly StoryFact[] }) =>
  facts.filter((f) => f.container !== undefined).map(({ what, container, stdout, code }) => scrub({ what, container, stdout, code }))

/** Rows that both have in the same order (the longest common subsequence), and what is left of each. */
function commonRows(wanted: readonly unknown[], got: readonly unknown[]) {
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
