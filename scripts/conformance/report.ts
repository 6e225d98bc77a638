import { type Reason, reasonFor } from './reasons.ts'
import type { SpecResult, SpecState } from './run-specs.ts'

export type GroupCounts = Readonly<Record<SpecState, number>>

/** By group (`sig-apps`), and all together under `all`. */
export function countsByGroup(results: readonly SpecResult[]): ReadonlyMap<string, GroupCounts> {
  const counts = new Map<string, Record<SpecState, number>>()
  const of = (group: string) => {
    const known = counts.get(group) ?? { passed: 0, failed: 0, skipped: 0, slow: 0 }
    counts.set(group, known)
    return known
  }
  for (const { name, state } of results.toSorted((a, b) => groupOf(a.name).localeCompare(groupOf(b.name)))) of(groupOf(name))[state]++
  const all = of('all')
  for (const { state } of results) all[state]++
  return counts
}

function groupOf(name: string): string {
  return name.match(/\[(sig-[a-z-]+)\]/)?.[1] ?? 'none'
}

const HEAD = ['group', 'pass', 'fail', 'timed out', 'skip themselves', 'of'] as const

function rows(counts: ReadonlyMap<string, GroupCounts>): readonly (readonly string[])[] {
  return [...counts].map(([group, c]) => {
    const all = c.passed + c.failed + c.slow + c.skipped
    return [group, c.passed, c.failed, c.slow, c.skipped, all].map(String)
  })
}

/** For a terminal. */
export function textTable(counts: ReadonlyMap<string, GroupCounts>): string {
  return [HEAD, ...rows(counts)].map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(20) : cell.padStart(16))).join('')).join('\n')
}

/** Of when and of what the results are. */
function whenRun(results: readonly SpecResult[]): readonly string[] {
  const dated = results.flatMap(({ at, commit }) => (at === undefined || commit === undefined ? [] : [{ at, commit }]))
  const inOrder = dated.toSorted((a, b) => a.at.localeCompare(b.at))
  const [first, last] = [inOrder[0], inOrder.at(-1)]
  if (first === undefined || last === undefined) return []
  const range = (from: string, to: string) => (from === to ? from : `${from} to ${to}`)
  const commits = range(first.commit, last.commit)
  const days = range(first.at.slice(0, 10), last.at.slice(0, 10))
  return [`These results are of ${days}, of commit ${commits}: a spec that had passed was not run again on later commits.`]
}

/** What a section of the page says before its table, and the table's last columns by group, if it has more than counts. */
export interface SectionText {
  readonly title: string
  readonly about: readonly string[]
  readonly more?: { readonly head: readonly string[]; readonly of: (group: string) => readonly string[] }
}

export const SIMULATED: SectionText = {
  title: 'Simulated nodes',
  about: [
    "`npm run conformance -- --write` runs the suite against a simulated cluster of three nodes. They execute no container: the programs that Bowsprit ships ([programs](programs.md)) replace the programs of the suite's images. A spec that needs another program does not pass.",
  ],
}

/** A section of `docs/conformance.md`: its counts by group, and each spec that did not pass with its reason. */
export function sectionOf({ title, about, more }: SectionText, results: readonly SpecResult[], reasons: readonly Reason[]): string {
  const byReason = new Map<string, string[]>()
  for (const { name, state } of results) {
    if (state === 'passed') continue
    const why = reasonFor(name, reasons)
    byReason.set(why, [...(byReason.get(why) ?? []), `${state === 'slow' ? 'timed out' : state}: ${name}`])
  }
  const head = [...HEAD, ...(more?.head ?? [])]
  const counts = rows(countsByGroup(results)).map((row) => [...row, ...(more?.of(row[0] ?? '') ?? [])])
  const table = [head, head.map(() => '---'), ...counts].map((row) => `| ${row.join(' | ')} |`)
  return [
    `## ${title}`,
    '',
    ...about,
    ...whenRun(results),
    '',
    ...table,
    '',
    byReason.size === 0 ? 'All of them pass.' : '### Failures, and why',
    ...[...byReason].flatMap(([why, names]) => [
      '',
      `#### ${why} (${names.length})`,
      '',
      ...names.map((n) => `- ${n.replaceAll('|', '\\|')}`),
    ]),
    '',
  ].join('\n')
}

/** The page with this section in the place of the one of the same title, or at its end. */
export function withSection(page: string, section: string): string {
  const [title = ''] = section.split('\n', 1)
  const begin = page.indexOf(`${title}\n`)
  if (begin < 0) return `${page.trimEnd()}\n\n${section}`
  const next = page.indexOf('\n## ', begin)
  return next < 0 ? page.slice(0, begin) + section : `${page.slice(0, begin)}${section}${page.slice(next)}`
}
