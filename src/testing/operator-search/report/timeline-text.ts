import { callText } from '../../operator-trial/operator-calls.ts'
import type { OperatorCall, SearchHistory } from '../history.ts'

/** A longer story is not read. */
const MOST_LINES = 12
/** How many of them come after the write with which it went wrong. */
const LINES_AFTER = 3

interface TimelineLine {
  readonly atMs: number
  readonly text: string
  /** How many times the same happened, one after the other. */
  times: number
  readonly isGuilty: boolean
}

/**
 * What happened, one line each, with the seconds since the beginning: what the search did (`*`), what the operator wrote, what changed
 * otherwise. Around the write with which it went wrong (`>`); without one from what the search did last, or the end.
 */
export function timelineText(history: SearchHistory, guilty: OperatorCall | undefined): string[] {
  const lines = merged(linesOf(history, guilty))
  const [guiltyAt, markAt] = [lines.findLastIndex((line) => line.isGuilty), lines.findLastIndex((line) => line.text.startsWith('*'))]
  const end = guiltyAt >= 0 ? guiltyAt + 1 + LINES_AFTER : markAt >= 0 ? markAt + MOST_LINES : lines.length
  const from = Math.max(0, Math.min(end, lines.length) - MOST_LINES)
  const marks = lines.slice(0, from).filter(({ text }) => text.startsWith('*'))
  return [...marks, ...lines.slice(from, end)].map(lineText)
}

function linesOf({ calls, changes, marks }: SearchHistory, guilty: OperatorCall | undefined): TimelineLine[] {
  const startMs = Math.min(...[...changes, ...marks].map((e) => e.atMs))
  const own = new Set(calls.map((c) => c.revision))
  const line = (atMs: number, text: string, isGuilty = false): TimelineLine => ({ atMs, text, times: 1, isGuilty })
  const writes = calls.filter((c) => c.writes)
  return [
    ...marks.map(({ atMs, what }) => line(atMs - startMs, `* ${what}`)),
    ...writes.map((c) => line(c.atMs, `  run ${c.life}: ${callText(c)} → ${c.code ?? 'no response'}`, c === guilty)),
    ...changes
      .filter((c) => c.step >= 0 && !own.has(String(c.revision)))
      .map((c) => line(c.atMs - startMs, `    ${c.type.toLowerCase()} ${c.key}`)),
  ].sort((a, b) => a.atMs - b.atMs)
}

function merged(lines: readonly TimelineLine[]): TimelineLine[] {
  const kept: TimelineLine[] = []
  for (const line of lines) {
    const last = kept.at(-1)
    if (last?.text === line.text && !last.isGuilty && !line.isGuilty) last.times++
    else kept.push(line)
  }
  return kept
}

function lineText({ atMs, text, times, isGuilty }: TimelineLine): string {
  const shown = isGuilty ? text.replace(' ', '>') : text
  return `${(atMs / 1000).toFixed(1).padStart(8)} s ${shown}${times > 1 ? ` (${times} times)` : ''}`
}
