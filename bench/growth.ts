/**
 * `node bench/growth.ts [FILTER]`: CPU time of what reads and changes that which clients send, at n, 2n and 4n. Near linear is a factor
 * near 2 from column to column; 4 is quadratic. Ratios of one run are valid on a loaded machine, since only this thread's own time is
 * counted.
 */

import { applyJsonPatch, decodeJsonPatch } from '../src/machinery/json/json-patch.ts'
import { compileJsonPath } from '../src/machinery/json/jsonpath.ts'
import { decodeJson } from '../src/machinery/json/strict-json.ts'
import { trackUpdate } from '../src/machinery/managed-fields/track-update.ts'
import { compareTyped } from '../src/machinery/managed-fields/typed/compare.ts'
import { mergeTyped } from '../src/machinery/managed-fields/typed/merge-typed.ts'
import { typedNode } from '../src/machinery/managed-fields/typed/typed-node.ts'
import type { Json, JsonObject, KubeObject } from '../src/machinery/object.ts'
import { parseQuantity } from '../src/machinery/quantity.ts'
import { decodeObject } from '../src/machinery/schema/decode.ts'
import { strategicMerge } from '../src/machinery/schema/strategic-merge.ts'
import { parseLabelSelector } from '../src/machinery/selectors/label-selector.ts'
import { validateOwnerReferences } from '../src/machinery/validation/object-meta.ts'
import { decodeYaml } from '../src/machinery/yaml/yaml.ts'
import { builtinSchema } from '../src/resources/schema.ts'

const pod = builtinSchema('', 'v1', 'Pod')()
const configMap = builtinSchema('', 'v1', 'ConfigMap')()
const times = <T>(n: number, f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i))
const data = (n: number, value: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  data: Object.fromEntries(times(n, (i) => [`k${i}`, value])),
})
const env = (n: number, value: string): JsonObject => ({
  spec: { containers: [{ name: 'a', env: times(n, (i) => ({ name: `E${i}`, value })) }] },
})

/** What is measured: for a size, something ready to run. */
const subjects: Readonly<Record<string, readonly [base: number, prepare: (n: number) => () => unknown]>> = {
  'JSON: fractions below a long key': [500, (n) => run(`{"${'a'.repeat(n * 60)}":[${times(n, () => '1.0').join()}]}`, decodeJson)],
  'JSON: one key again and again': [50_000, (n) => run(`{${'"a":1,'.repeat(n)}"b":1}`, decodeJson)],
  'JSON: nested': [2500, (n) => run(`${'{"a":'.repeat(n)}1.0${'}'.repeat(n)}`, decodeJson)],
  'YAML: one key again and again': [5000, (n) => run(`x:\n${' a: 1\n'.repeat(n)}`, decodeYaml)],
  'YAML: keys twice before a long line': [
    5000,
    (n) => run(`{x: {${times(n, () => 'a: 1').join(', ')}}}${' '.repeat(n * 100)}`, decodeYaml),
  ],
  'YAML: a number': [500_000, (n) => run(`x: ${'9'.repeat(n)}`, decodeYaml)],
  'YAML: documents': [100_000, (n) => run('---\n'.repeat(n), decodeYaml)],
  'YAML: anchors': [10_000, (n) => run(times(n, (i) => `a${i}: &x${i} 1`).join('\n'), decodeYaml)],
  'managed fields: values that change': [
    5000,
    (n) => {
      const [left, right] = [data(n, 'a') as Json, data(n, 'b') as Json]
      return () => compareTyped(typedNode(configMap), left, right)
    },
  ],
  'managed fields: items of a list that change': [
    2000,
    (n) => {
      const [left, right] = [env(n, 'a') as Json, env(n, 'b') as Json]
      return () => compareTyped(typedNode(pod), left, right)
    },
  ],
  'managed fields: many managers': [
    1000,
    (n) => {
      const managedFields = times(n, (i) => ({
        manager: `m${i}`,
        operation: 'Update' as const,
        apiVersion: 'v1',
        fieldsType: 'FieldsV1' as const,
        fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
      }))
      const live = data(n, 'a') as unknown as KubeObject
      const updated = { ...(data(n, 'b') as object), metadata: { name: 'a', managedFields } } as unknown as KubeObject
      return () =>
        trackUpdate({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          schema: configMap,
          subresource: '',
          now: '2026-01-01T00:00:00Z',
          live: { ...live, metadata: { name: 'a', uid: 'u', managedFields } },
          updated,
          manager: 'w',
        })
    },
  ],
  'apply: items': [
    2000,
    (n) => {
      const [left, right] = [env(n, 'a') as Json, env(n, 'b') as Json]
      return () => mergeTyped(typedNode(pod), left, right)
    },
  ],
  'strategic merge: new items': [
    2000,
    (n) => {
      const patch = { spec: { containers: [{ name: 'a', env: times(n, (i) => ({ name: `F${i}`, value: 'x' })) }] } }
      const before = env(n, 'a')
      return () => strategicMerge(pod, before, patch)
    },
  ],
  'strategic merge: an order': [
    2000,
    (n) => {
      const order = times(n, (i) => ({ name: `E${i}` }))
      const patch = {
        spec: { containers: [{ name: 'a', '$setElementOrder/env': order, env: times(n, (i) => ({ name: `E${i}`, value: 'x' })) }] },
      }
      const before = env(n, 'a')
      return () => strategicMerge(pod, before, patch)
    },
  ],
  'JSON patch: steps': [
    2000,
    (n) => {
      const steps = decodeJsonPatch(times(n, (i) => ({ op: 'add', path: `/data/n${i}`, value: 'x' })))
      const before = data(n, 'a') as Json
      return () => applyJsonPatch(before, steps)
    },
  ],
  'JSON path: ..a..a..a': [
    50,
    (n) => {
      let deep: Json = { a: 1 }
      for (let i = 0; i < n; i++) deep = { a: deep, b: 1 }
      const path = compileJsonPath('..a..a..a')
      return () => path.first(deep)
    },
  ],
  'decoding: unknown fields': [
    20_000,
    (n) => run(Object.fromEntries(times(n, (i) => [`f${i}`, 1])) as Json, (json) => decodeObject(pod, json, { fieldValidation: 'Warn' })),
  ],
  'label selector: keys': [5000, (n) => run('a,'.repeat(n).concat('a'), parseLabelSelector)],
  'quantity: digits': [1000, (n) => run(`${'9'.repeat(n)}m`, (text) => parseQuantity(text).toString())],
  'owner references': [
    4000,
    (n) => {
      const owners = times(n, (i) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `n${i}`, uid: `u${i}` }))
      return () => validateOwnerReferences(owners, 'metadata.ownerReferences')
    },
  ],
}

function run<T>(input: T, work: (input: T) => unknown): () => unknown {
  return () => work(input)
}

/** CPU time of one run, in milliseconds. The kernel counts in ticks of some milliseconds: many runs are measured together. */
function cost(work: () => unknown): number {
  const before = process.threadCpuUsage()
  for (let runs = 1; ; runs++) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system > ENOUGH_MICROS) return (user + system) / 1000 / runs
  }
}

const ENOUGH_MICROS = 80_000

const filter = process.argv[2] ?? ''
console.log(`${''.padEnd(46)}${'n'.padStart(9)}${'2n'.padStart(9)}${'4n'.padStart(9)}   growth from 2n to 4n`)
for (const [what, [base, prepare]] of Object.entries(subjects)) {
  if (!what.includes(filter)) continue
  prepare(base)()
  const costs = [base, 2 * base, 4 * base].map((n) => cost(prepare(n)))
  const growth = (costs[2] ?? 0) / Math.max(costs[1] ?? 1, 0.01)
  console.log(
    `${what.padEnd(46)}${costs.map((c) => c.toFixed(1).padStart(9)).join('')}   × ${growth.toFixed(1)}${growth > 3 && (costs[2] ?? 0) > 5 ? '  worse than linear' : ''}`,
  )
}
