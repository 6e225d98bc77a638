/**
 * `node bench/operator-search-go.ts`: the search for faults of the operator with controller-runtime that the tests have: runs a minute; how
 * long one run takes alone, from the fork of its cluster to its kill, when an object is created (and when it is deleted and made anew); and
 * how long the search of a workload with 30 writes takes. Prints a JSON line.
 */
import path from 'node:path'
import { searchOperator } from '../src/testing/operator-search/search-operator.ts'
import type { WorkStep } from '../src/testing/operator-search/work-step.ts'
import { goPrograms } from '../test/go-program.ts'
import { type Database, database, databases } from '../test/operators/operator-search/stand-in.ts'

const { bin, why } = await goPrograms('operator')
if (why !== undefined) throw new Error(why)
const sample = database({ size: 1 })
const create = { name: 'create', apply: [sample] }

const search = async (env: Readonly<Record<string, string>>, steps: readonly WorkStep[], samples: readonly Database[] = [sample]) => {
  const began = performance.now()
  const operator = { command: [path.join(bin, 'operator')], env }
  const install = [databases({ size: { type: 'integer' } })]
  const { runs, points, findings } = await searchOperator({ operator, install, samples, steps })
  const tookMs = performance.now() - began
  return {
    runs,
    points: points.tried,
    findings: findings.length,
    seconds: Math.round(tookMs / 100) / 10,
    runsPerMinute: Math.round((runs * 60_000) / tookMs),
  }
}

/** The operator writes ten times for each sample. */
const remade = (samples: readonly Database[]): WorkStep[] => {
  const created = { name: 'create', apply: samples }
  return [created, { name: 'delete', remove: samples }, created]
}
const { user, system } = process.cpuUsage()
const several = await search({}, remade([sample]))
const used = process.cpuUsage({ user, system })
const own = { ownCpuSeconds: Math.round((used.user + used.system) / 100_000) / 10 }
// With a port, one run follows the other.
const METRICS = { METRICS: '127.0.0.1:8380' }
const alone = { ...(await search(METRICS, [create])), remade: await search(METRICS, remade([sample])) }
const three = ['a', 'b', 'c'].map((name): Database => ({ ...sample, metadata: { ...sample.metadata, name } }))
const thirtyWrites = await search({}, remade(three), three)
const msPerRun = Math.round(60_000 / alone.runsPerMinute)
console.log(JSON.stringify({ several: { ...several, ...own }, alone: { ...alone, msPerRun }, thirtyWrites }))
