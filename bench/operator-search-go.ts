/**
 * `node bench/operator-search-go.ts`: the search for faults of the operator with controller-runtime that the tests have: runs a minute, and
 * how long one run takes alone, from the fork of its cluster to its kill. Prints a JSON line.
 */
import path from 'node:path'
import { searchOperator } from '../src/testing/operator-search/search-operator.ts'
import type { WorkStep } from '../src/testing/operator-search/work-step.ts'
import { goPrograms } from '../test/go-program.ts'
import { database, databases } from '../test/operators/operator-search/stand-in.ts'

const { bin, why } = await goPrograms('operator')
if (why !== undefined) throw new Error(why)
const sample = database({ size: 1 })
const create = { name: 'create', apply: [sample] }

const search = async (env: Readonly<Record<string, string>>, steps: readonly WorkStep[]) => {
  const began = performance.now()
  const operator = { command: [path.join(bin, 'operator')], env }
  const install = [databases({ size: { type: 'integer' } })]
  const { runs, findings } = await searchOperator({ operator, install, samples: [sample], steps })
  const tookMs = performance.now() - began
  return { runs, findings: findings.length, seconds: Math.round(tookMs / 100) / 10, runsPerMinute: Math.round((runs * 60_000) / tookMs) }
}

const remade = [create, { name: 'delete', remove: [sample] }, create]
const { user, system } = process.cpuUsage()
const several = await search({}, remade)
const used = process.cpuUsage({ user, system })
const own = { ownCpuSeconds: Math.round((used.user + used.system) / 100_000) / 10 }
// With a port, one run follows the other.
const METRICS = { METRICS: '127.0.0.1:8380' }
const alone = { ...(await search(METRICS, [create])), remade: await search(METRICS, remade) }
const msPerRun = Math.round(60_000 / alone.runsPerMinute)
console.log(JSON.stringify({ several: { ...several, ...own }, alone: { ...alone, msPerRun } }))
