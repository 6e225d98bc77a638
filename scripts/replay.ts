/**
 * `npm run replay [-- FILE…]`: starts the server part on memory, replays the recorded answers of `../shared/upstream/cases` against it, and
 * writes the count of each file to `test/replay-counts.txt`. With files (parts of their paths), only those, and nothing is written.
 */
import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startCluster } from '../src/cluster/cluster.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    show: { type: 'string', default: '20' },
    only: { type: 'string' },
    json: { type: 'string' },
    jobs: { type: 'string', default: '8' },
  },
})
const upstream = path.join(import.meta.dirname, '..', '..', 'shared', 'upstream')
if (!existsSync(upstream)) {
  console.log('skipped: ../shared/upstream is not here')
  process.exit(0)
}
const cases = globSync('{basics,create,update,table,semantics,custom}/*.json', { cwd: path.join(upstream, 'cases') })
  .sort()
  .filter((f) => positionals.length === 0 || positionals.some((p) => f.includes(p)))
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-replay-'))
const kubeconfig = path.join(folder, 'kubeconfig')
const cluster = await startCluster({ parts: ['server'], ephemeral: true, port: 0, kubeconfig })
try {
  const lines: string[] = []
  for (const group of Map.groupBy(cases, (f) => path.dirname(f)).values()) {
    const args = [path.join(upstream, 'replay.mjs'), '--kubeconfig', kubeconfig, '--show', values.show, '--jobs', values.jobs]
    if (values.only !== undefined) args.push('--only', values.only)
    if (values.json !== undefined) args.push('--json', values.json)
    const child = await run([...args, ...group.map((f) => path.join(upstream, 'cases', f))])
    process.stdout.write(child)
    lines.push(
      ...child
        .split('\n')
        .filter((l) => /: cases \d+/.test(l))
        .map((l) => `${path.dirname(group[0] ?? '')}/${l}`),
    )
  }
  const total = lines.reduce(
    (n, l) => {
      const m = /cases (\d+)\/(\d+), answers (\d+)\/(\d+)/.exec(l)
      return m === null ? n : n.map((x, i) => x + Number(m[i + 1]))
    },
    [0, 0, 0, 0],
  )
  const sum = `all: cases ${total[0]}/${total[1]}, answers ${total[2]}/${total[3]}`
  console.log(sum)
  if (positionals.length === 0 && values.only === undefined) {
    writeFileSync(path.join(import.meta.dirname, '..', 'test', 'replay-counts.txt'), `${[...lines, sum].join('\n')}\n`)
  }
} finally {
  await cluster[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
}

/** Runs the replay in a process of its own (the server lives in this one), and gives back what it printed. */
async function run(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  for await (const part of child.stdout) out += String(part)
  return out
}
