/** `npm run peers [NAME…]`: other people's test suites against what `bowsprit assets` lays down; writes the counts into docs/peers.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { layDownAssets } from '../src/cli/assets/lay-down.ts'
import type { Outcome, Peer } from './peers/peer.ts'
import { PEERS } from './peers/peers.ts'

const page = path.join(import.meta.dirname, '..', 'docs', 'peers.md')
const work = process.env.PEERS_WORK ?? path.join(os.tmpdir(), 'bowsprit-peers')
mkdirSync(work, { recursive: true })
const assets = process.env.PEERS_ASSETS ?? layDownAssets({ folder: path.join(work, 'assets'), kubectl: undefined })
const wanted = process.argv.slice(2)
const peers = PEERS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
for (const peer of peers) {
  const outcome = await peer.run({ assets, work, say: (line) => console.log(line) })
  const row = rowOf(peer, outcome)
  console.log(row)
  if (process.env.PEERS_ASSETS === undefined || process.env.PEERS_WRITE === '1') note(peer.name, row)
}

function rowOf({ name, version, what, known }: Peer, outcome: Outcome): string {
  if (outcome.kind === 'missing') return `| ${name} | ${version} | ${what} | – | not run: ${outcome.why} |`
  const reasons = new Map<string, number>()
  for (const title of outcome.failed) {
    const why = Object.entries(known).find(([piece]) => title.includes(piece))?.[1] ?? title
    reasons.set(why, (reasons.get(why) ?? 0) + 1)
  }
  const failed = [...reasons].map(([why, count]) => (count > 1 ? `${count}: ${why}` : why)).join('; ')
  return `| ${name} | ${version} | ${what} | ${outcome.passed} of ${outcome.total} | ${failed} |`
}

/** The row of a suite in the page's table, in place of the one that stood there. */
function note(name: string, row: string): void {
  const lines = readFileSync(page, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.startsWith(`| ${name} |`))
  if (at >= 0) lines[at] = row
  else lines.splice(lines.findLastIndex((line) => line.startsWith('|')) + 1, 0, row)
  writeFileSync(page, lines.join('\n'))
}
