import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { commonRows } from './compare.ts'

export interface StoriesToPlay<S> {
  /** A folder with one recording a file. */
  readonly recordings: string
  /** The file that gets the differences. */
  readonly report: string
  /** Only these; empty: all. */
  readonly names: readonly string[]
  /** The rows of a recording, as `play` makes them. */
  readonly wanted: (story: S) => readonly unknown[]
  readonly play: (story: S) => Promise<readonly unknown[]>
  /** The recording ended before what it began: more than it has is no difference. Default: none did. */
  readonly isCutShort?: (story: S) => boolean
}

/** Plays recordings one after the other, compares rows in their order, prints counts and writes the differences. */
export async function playStories<S>(options: StoriesToPlay<S>): Promise<void> {
  const { recordings, report, names, wanted, play, isCutShort = () => false } = options
  const total = { same: 0, of: 0 }
  const lines: string[] = []
  for (const file of readdirSync(recordings).filter((name) => name.endsWith('.json'))) {
    const title = file.replace('.json', '')
    if (names.length > 0 && !names.includes(title)) continue
    const story: S = JSON.parse(readFileSync(path.join(recordings, file), 'utf8'))
    const { count: same, onlyWanted, onlyGot } = commonRows(wanted(story), await play(story))
    const of = same + Math.max(onlyWanted.length, isCutShort(story) ? 0 : onlyGot.length)
    total.same += same
    total.of += of
    console.log(`${title}: ${same}/${of}`)
    const shown = (sign: string) => (row: unknown) => `${sign} ${JSON.stringify(row)}`
    lines.push(`# ${title}: ${same}/${of}`, ...onlyWanted.map(shown('-')), ...onlyGot.map(shown('+')))
    writeFileSync(report, `${lines.join('\n')}\n`)
  }
  console.log(`all: ${total.same}/${total.of}`)
}
