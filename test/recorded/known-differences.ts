import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const file = path.join(import.meta.dirname, 'known-differences.txt')

/**
 * The known differences of a recorded file, by the id of the case (or `session: command`), with the reason. A line of
 * `known-differences.txt` is `file<TAB>id<TAB>reason`; lines with `#` are comments.
 */
export function knownDifferences(recorded: string): ReadonlyMap<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n')
  const fields = lines.filter((l) => l !== '' && !l.startsWith('#')).map((l) => l.split('\t'))
  return new Map(fields.filter(([name]) => name === recorded).map(([, id = '', reason = '']) => [id, reason]))
}

/** Rewrites the list for these files: cases that agree are removed, new differences are added and need a reason. */
export function noteDifferences(files: ReadonlySet<string>, failed: readonly { readonly file: string; readonly id: string }[]): void {
  const lines = readFileSync(file, 'utf8').split('\n')
  const remarks = lines.filter((l) => l.startsWith('#'))
  const others = lines.filter((l) => l !== '' && !l.startsWith('#') && !files.has(l.split('\t')[0] ?? ''))
  const now = failed.map((f) => `${f.file}\t${f.id}\t${knownDifferences(f.file).get(f.id) ?? 'not looked at yet'}`)
  writeFileSync(file, `${[...remarks, ...[...others, ...now].sort()].join('\n')}\n`)
}
