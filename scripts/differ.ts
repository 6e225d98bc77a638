/**
 * `npm run differ -- [--seed 1] [--seconds 60] [--kinds pods,services] [--only creates,changes] [--out FILE]`: sends drawn requests to the
 * real kube-apiserver and to ours, and prints what differs as small cases that `npm run replay` reads. It needs `--binaries` or
 * `ORACLE_BIN`: a folder with etcd and kube-apiserver 1.36.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startCluster } from '../src/cluster/start-cluster.ts'
import { connect } from '../src/sdk/client/connect.ts'
import type { Case } from './differ/case.ts'
import { type Comparison, compare, type Difference } from './differ/compare.ts'
import { installDefinitions } from './differ/custom-kinds.ts'
import { caseSource, FAMILIES } from './differ/draw-case.ts'
import { openDrawnWebhook } from './differ/drawn-webhook.ts'
import { JsonProxy } from './differ/json-proxy.ts'
import { readKinds } from './differ/kinds.ts'
import { minimise } from './differ/minimise.ts'
import { reasonOf } from './differ/on-purpose.ts'
import { RealServer } from './differ/real-server.ts'
import { signatureOf } from './differ/signature.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    kinds: { type: 'string' },
    only: { type: 'string' },
    out: { type: 'string' },
    batch: { type: 'string', default: '60' },
    binaries: { type: 'string', default: process.env.ORACLE_BIN },
  },
})
if (values.binaries === undefined) throw new Error('--binaries or ORACLE_BIN must name a folder with etcd and kube-apiserver 1.36')
const only = values.only?.split(',') ?? Object.keys(FAMILIES)
const unknown = only.filter((name) => FAMILIES[name] === undefined)
if (unknown.length > 0) throw new Error(`--only takes ${Object.keys(FAMILIES).join(', ')}; not ${unknown.join(', ')}`)
const plurals = values.kinds?.split(',')

/** So many differences are made small at once. */
const GROUP = 6

/** A signal ends the search where it is, so that both servers are stopped and their files removed. */
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-differ-'))
const realFolder = path.join(folder, 'real')
mkdirSync(realFolder)
try {
  await using real = await RealServer.start(values.binaries, realFolder)
  stopped.signal.throwIfAborted()
  const ours = path.join(folder, 'kubeconfig')
  await using cluster = await startCluster({ parts: ['server'], ephemeral: true, port: 0, kubeconfig: ours })
  const [asked, asking] = [path.join(folder, 'real-proxy'), path.join(folder, 'our-proxy')]
  await using _real = await JsonProxy.start(real.kubeconfig, { kubeconfigTo: asked })
  await using _ours = await JsonProxy.start(ours, { kubeconfigTo: asking })
  await using webhook = await openDrawnWebhook()
  const servers = { real: asked, ours: asking, words: webhook.words, folder, signal: stopped.signal }
  const both = (cases: readonly Case[]) => compare(cases, servers)
  await using toReal = await connect({ kubeconfig: real.kubeconfig })
  await Promise.all([installDefinitions(toReal.client), installDefinitions(cluster.client())])
  const kinds = await readKinds(toReal.client)
  const chosen = kinds.filter(({ plural }) => plurals === undefined || plurals.includes(plural))
  const found = await search(caseSource(Number(values.seed), { kinds: chosen, only }), both)
  if (values.out !== undefined) writeFileSync(values.out, fileOf(found))
} catch (error) {
  if (!stopped.signal.aborted) throw error
} finally {
  rmSync(folder, { recursive: true, force: true })
}

type Compare = (cases: readonly Case[]) => Promise<Comparison>

/** Compares batches until the time is over, and prints each new difference when it is small. */
async function search(next: () => Case, both: Compare): Promise<readonly Difference[]> {
  const end = Date.now() + Number(values.seconds) * 1000
  const seen = new Set<string>()
  const found: Difference[] = []
  let requests = 0
  let expected = 0
  let once = 0
  while (Date.now() < end && !stopped.signal.aborted) {
    const batch = Array.from({ length: Number(values.batch) }, next)
    const { differences, requests: compared } = await both(batch)
    requests += compared
    const unexpected = differences.filter((difference) => reasonOf(difference) === undefined)
    expected += differences.length - unexpected.length
    const news = [...Map.groupBy(unexpected, ({ why }) => signatureOf(why))].filter(([signature]) => !seen.has(signature))
    for (const [signature] of news) seen.add(signature)
    for (const group of inGroups(news.flatMap(([, [first]]) => first ?? []))) {
      const repeated = await repeatedOf(group, both)
      once += group.length - repeated.length
      for (const difference of await minimise(repeated, both)) {
        // What is left may differ on purpose.
        if (reasonOf(difference) !== undefined) {
          expected++
          continue
        }
        found.push(difference)
        console.log(`${difference.why}\n  ${JSON.stringify(difference.case)}`)
      }
    }
  }
  console.log(`${requests} requests compared, ${found.length} differences found, ${expected} on purpose, ${once} not repeated`)
  return found
}

/** The differences that a second comparison shows too: on a busy machine a watch may end before its last event. */
async function repeatedOf(group: readonly Difference[], both: Compare): Promise<readonly Difference[]> {
  const { differences } = await both(
    group.map(({ case: { steps, ...rest } }) => ({ ...rest, steps: steps.map(({ expect: _, ...step }) => step) })),
  )
  const again = new Set(differences.map(({ case: { id }, why }) => `${id} ${signatureOf(why)}`))
  return group.filter(({ case: { id }, why }) => again.has(`${id} ${signatureOf(why)}`))
}

function inGroups(found: readonly Difference[]): (readonly Difference[])[] {
  return Array.from({ length: Math.ceil(found.length / GROUP) }, (_, i) => found.slice(i * GROUP, (i + 1) * GROUP))
}

function fileOf(found: readonly Difference[]): string {
  return `{"managedFields":true,"cases":[\n${found.map((d) => JSON.stringify(d.case)).join(',\n')}\n]}\n`
}
