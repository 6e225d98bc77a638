/**
 * `node bench/operator-search.ts [--writes 30] [--fields 0]`: the search for faults of an operator in this process that makes so many
 * objects: runs a minute; with `--fields`, the time of a search that changes so many fields; else that of a workload with 36 writes and
 * all its points. Prints a JSON line.
 */
import { parseArgs } from 'node:util'
import { CONFIG_MAPS } from '../src/resources/refs.ts'
import type { JSONSchemaProps } from '../src/resources/types/apiextensions.ts'
import { runController } from '../src/sdk/controller/run-controller.ts'
import { WorkQueue } from '../src/sdk/controller/work-queue.ts'
import { createInformer } from '../src/sdk/informer/create-informer.ts'
import { objectKey } from '../src/sdk/informer/object-key.ts'
import { customResourceDefinition } from '../src/testing/builders.ts'
import type { InProcessOperator } from '../src/testing/operator-search/run/operator-life.ts'
import { searchOperator } from '../src/testing/operator-search/search-operator.ts'
import { database, databases } from '../test/operators/operator-search/stand-in.ts'
import { staleCleanup } from '../test/operators/operator-search/stand-ins/stale-cleanup.ts'

const { values } = parseArgs({ options: { writes: { type: 'string', default: '30' }, fields: { type: 'string', default: '0' } } })
const [writes, fields] = [Number(values.writes), Number(values.fields)]

/** Applies the same config maps whenever a gadget changes. */
const operator: InProcessOperator = async ({ client, clock, random, signal }) => {
  const queue = new WorkQueue({ clock })
  const gadgets = createInformer({ client, clock, random, target: { group: 'example.com', version: 'v1', resource: 'gadgets' } })
  gadgets.addHandler({ added: (gadget) => queue.add(objectKey(gadget)), updated: (gadget) => queue.add(objectKey(gadget)) })
  const reconcile = async (key: string) => {
    const data = { spec: JSON.stringify(gadgets.get(key)?.spec) }
    for (let i = 0; i < writes; i++) {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${i}` }, ...(fields > 0 && { data }) }
      await client.patch({ ...CONFIG_MAPS, namespace: 'default', name: map.metadata.name }, 'apply', map, { fieldManager: 'gadgets' })
    }
  }
  await Promise.all([gadgets.run(signal), runController({ name: 'gadgets', queue, ready: [gadgets.synced], reconcile }, signal)])
}

const TYPES: readonly JSONSchemaProps[] = [
  { type: 'integer' },
  { type: 'string' },
  { type: 'boolean' },
  { type: 'string', enum: ['a', 'b'] },
]

/** Parts of ten fields each. */
const properties = Object.fromEntries(
  Array.from({ length: Math.ceil(fields / 10) }, (_, part) => {
    const inner = Array.from({ length: 10 }, (_, i) => [`field${i}`, TYPES[i % TYPES.length] ?? {}] as const)
    return [`part${part}`, { type: 'object', properties: Object.fromEntries(inner) }] as const
  }),
)
const spec: JSONSchemaProps = { type: 'object', properties: { size: { type: 'integer' }, ...properties } }
const sample = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g', namespace: 'default' }, spec: { size: 1 } }
const search = () =>
  searchOperator({
    operator,
    install: [customResourceDefinition({ group: 'example.com', kind: 'Gadget', spec })],
    samples: [sample],
    steps: [{ name: 'create', apply: [sample] }],
    explore: fields > 0,
  })
// The first ones load the modules and compile what is called often; a minute of searching is mostly after that.
const [unmeasured, measured] = fields === 0 ? [3, 6] : [0, 1]
for (let i = 0; i < unmeasured; i++) await search()
const beganMs = performance.now()
const began = process.cpuUsage()
let { runs, points, findings, explored } = await search()
for (let i = 1; i < measured; i++) runs += (await search()).runs
const tookMs = performance.now() - beganMs
const { user, system } = process.cpuUsage(began)
const cpuMs = (user + system) / 1000
/** Four databases are created, deleted, and created again: 36 writes. */
async function remade() {
  const samples = ['a', 'b', 'c', 'd'].map((name) => ({ ...database({}), metadata: { name, namespace: 'default' } }))
  const steps = [
    { name: 'create', apply: samples },
    { name: 'delete', remove: samples },
    { name: 'create again', apply: samples },
  ]
  const beganMs = performance.now()
  const report = await searchOperator({ operator: staleCleanup(true), install: [databases({})], samples, steps })
  const seconds = Math.round((performance.now() - beganMs) / 100) / 10
  return { runs: report.runs, points: report.points.tried, findings: report.findings.length, seconds }
}

const perMinute = (ms: number) => Math.round((runs * 60_000) / ms)
const figures = {
  writes,
  runs,
  points,
  findings: findings.length,
  ...(explored ? { explored } : { remade: await remade() }),
  seconds: Math.round(tookMs / 100) / 10,
  cpuSeconds: Math.round(cpuMs / 100) / 10,
}
console.log(JSON.stringify({ ...figures, runsPerMinute: perMinute(tookMs), runsPerMinuteOfCpu: perMinute(cpuMs) }))
