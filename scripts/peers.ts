/**
 * `npm run peers -- [--sources DIR] [NAME…]`: other people's test suites against what `bowsprit assets` lays down, or a whole cluster;
 * writes the counts
 * into docs/peers.md. `PEERS_WORK` names the folder where sources and programs that were built stay (default: in the temporary folder).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { writeAssets } from '../src/cli/assets/write-assets.ts'
import { Missing, type Outcome } from './peers/peer.ts'
import { PEERS } from './peers/peers.ts'
import { asKnown, rowOf, withRow } from './peers/table.ts'

const page = path.join(import.meta.dirname, '..', 'docs', 'peers.md')
const { values, positionals } = parseArgs({ allowPositionals: true, options: { sources: { type: 'string' } } })
const unknown = positionals.filter((name) => !PEERS.some((peer) => peer.name === name))
if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(', ')}; there are ${PEERS.map(({ name }) => `"${name}"`).join(', ')}`)
  process.exit(2)
}
const sources = values.sources === undefined ? undefined : path.resolve(values.sources)
const work = process.env.PEERS_WORK ?? path.join(os.tmpdir(), 'bowsprit-peers')
mkdirSync(work, { recursive: true })
/** Another folder of programs (the real ones, to compare with): what comes of it is printed, and not written down. */
const others = process.env.PEERS_ASSETS
const assets = others ?? writeAssets({ folder: path.join(work, 'assets'), kubectl: undefined })
for (const peer of PEERS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const outcome = await peer.run({ assets, work, sources, say: (line) => console.log(line) }).catch(missing)
  const row = rowOf(peer, outcome)
  console.log(row)
  if (others === undefined) writeFileSync(page, withRow(readFileSync(page, 'utf8'), peer.name, row))
  if (!asKnown(peer, outcome)) process.exitCode = 1
}

function missing(error: unknown): Outcome {
  if (error instanceof Missing) return { kind: 'missing', why: error.message }
  throw error
}
