import type { Outcome, Peer } from './peer.ts'

/** A suite's row: how many passed, and what failed with the reason where one is known. */
export function rowOf({ name, version, what, known }: Pick<Peer, 'name' | 'version' | 'what' | 'known'>, outcome: Outcome): string {
  if (outcome.kind === 'missing') return row([name, version, what, '–', `not run: ${outcome.why}`])
  const reasons = new Map<string, number>()
  for (const title of outcome.failed) {
    const why = Object.entries(known).find(([piece]) => title.includes(piece))?.[1] ?? title
    reasons.set(why, (reasons.get(why) ?? 0) + 1)
  }
  const failed = [...reasons].map(([why, count]) => (count > 1 ? `${count}: ${why}` : why)).join('; ')
  return row([name, version, what, `${outcome.passed} of ${outcome.total}`, failed])
}

/** Whether nothing failed but what is known to be no fault of the server's. */
export function asKnown({ known }: Pick<Peer, 'known'>, outcome: Outcome): boolean {
  return outcome.kind === 'missing' || outcome.failed.every((title) => Object.keys(known).some((piece) => title.includes(piece)))
}

/** A page with the row of a suite in place of the one that stood there, or after the last row of the first table. */
export function withRow(page: string, name: string, newRow: string): string {
  const lines = page.split('\n')
  const at = lines.findIndex((line) => line.startsWith(`| ${name} |`))
  if (at >= 0) lines[at] = newRow
  else lines.splice(endOfFirstTable(lines), 0, newRow)
  return lines.join('\n')
}

function endOfFirstTable(lines: readonly string[]): number {
  const begin = lines.findIndex((line) => line.startsWith('|'))
  const length = lines.slice(begin).findIndex((line) => !line.startsWith('|'))
  return length < 0 ? lines.length : begin + length
}

/** Cells of a table hold neither its separators nor line ends. */
export const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`
