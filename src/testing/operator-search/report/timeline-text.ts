import { callText, type SearchHistory } from '../history.ts'

/** A longer story is not read. */
const MOST_LINES = 30

/** What happened, one line each: what the search did, what the operator wrote, what changed. */
export function timelineText({ calls, changes, marks }: SearchHistory): string[] {
  const startMs = Math.min(...[...changes, ...marks].map((e) => e.atMs))
  const own = new Set(calls.map((c) => c.revision))
  const lines = [
    ...marks.map(({ atMs, what }) => ({ atMs: atMs - startMs, text: `* ${what}` })),
    ...calls.filter((c) => c.writes).map((c) => ({ atMs: c.atMs, text: `  run ${c.life}: ${callText(c)} → ${c.code ?? 'no response'}` })),
    ...changes
      .filter((c) => c.step >= 0 && !own.has(String(c.revision)))
      .map((c) => ({ atMs: c.atMs - startMs, text: `    ${c.type.toLowerCase()} ${c.key}` })),
  ].sort((a, b) => a.atMs - b.atMs)
  return lines.slice(-MOST_LINES).map(({ atMs, text }) => `${(atMs / 1000).toFixed(1).padStart(8)} s ${text}`)
}
