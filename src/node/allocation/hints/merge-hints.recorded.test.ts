import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { upstream } from '../../../../test/upstream.ts'
import { maskOf, nodesOf } from '../../machine/node-mask.ts'
import type { ProviderHints } from './hint.ts'
import { mergeHints, type TopologyPolicy } from './merge-hints.ts'

interface RecordedHint {
  readonly nodes: readonly number[] | null
  readonly preferred: boolean
}

interface RecordedMerge {
  readonly distances: Readonly<Record<string, readonly number[]>>
  readonly numaNodes: number
  readonly providers: readonly Readonly<Record<string, readonly RecordedHint[] | null>>[]
  readonly result: Readonly<Record<string, { readonly hint: RecordedHint; readonly admit: boolean }>>
}

const recorded: readonly RecordedMerge[] = JSON.parse(readFileSync(path.join(upstream, 'node/topology-merge.json'), 'utf8'))

test('merges of hints are what the real kubelet made of them', () => {
  let compared = 0
  for (const merge of recorded) {
    const providers: ProviderHints[] = merge.providers.map((provider) =>
      Object.fromEntries(
        Object.entries(provider).map(([resource, hints]) => [
          resource,
          hints?.map((h) => ({ nodes: h.nodes === null ? undefined : maskOf(h.nodes), preferred: h.preferred })),
        ]),
      ),
    )
    const nodes = [...Array(merge.numaNodes).keys()]
    const layout = { nodes, distances: new Map(nodes.map((n) => [n, merge.distances[n] ?? []])) }
    for (const [name, expected] of Object.entries(merge.result)) {
      const [policy = 'none', option] = name.split(', ')
      const { hint, admit } = mergeHints(providers, layout, {
        policy: policy as TopologyPolicy,
        preferClosest: option === 'prefer-closest-numa-nodes',
      })
      const seen = { hint: { nodes: hint.nodes === undefined ? null : nodesOf(hint.nodes), preferred: hint.preferred }, admit }
      assert.deepEqual(seen, expected, `${name}: ${JSON.stringify(merge.providers)}`)
      compared++
    }
  }
  assert.ok(compared > 500)
})
