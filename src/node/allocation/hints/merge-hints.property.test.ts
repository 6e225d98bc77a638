import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countOf, maskOf } from '../../machine/node-mask.ts'
import type { TopologyHint } from './hint.ts'
import { mergeHints } from './merge-hints.ts'

const NODES = [0, 1, 3]
const ALL = maskOf(NODES)
const layout = { nodes: NODES, distances: new Map(NODES.map((n) => [n, [0, 1, 2, 3].map((m) => (m === n ? 10 : 20 + Math.abs(m - n)))])) }

const mask = fc.subarray(NODES, { minLength: 1 }).map(maskOf)
const hint = fc.record({ nodes: fc.option(mask, { nil: undefined, freq: 4 }), preferred: fc.boolean() })
const provider = fc.dictionary(fc.constantFrom('a', 'b'), fc.option(fc.array(hint, { maxLength: 6 }), { nil: undefined, freq: 5 }), {
  noNullPrototype: true,
})

/** The result of every combination of one hint per list: the naive algorithm. */
function everyWay(lists: readonly (readonly TopologyHint[])[]): { readonly nodes: number; readonly preferred: boolean }[] {
  const ways: { readonly nodes: number; readonly preferred: boolean }[] = []
  const walk = (at: number, chosen: readonly TopologyHint[]): void => {
    const list = lists[at]
    if (list !== undefined) {
      for (const next of list) walk(at + 1, [...chosen, next])
      return
    }
    const named = chosen.flatMap((h) => h.nodes ?? [])
    const nodes = named.reduce((a, b) => a & b, ALL)
    ways.push({ nodes, preferred: chosen.every((h) => h.preferred) && named.every((m) => m === named[0]) })
  }
  walk(0, [])
  return ways.filter((w) => w.nodes !== 0)
}

test('what is decided is one of the combinations, and a preferred one where there is any', () => {
  fc.assert(
    fc.property(fc.array(provider, { maxLength: 3 }), fc.constantFrom('best-effort', 'restricted'), (providers, policy) => {
      const lists = providers.flatMap((p): (readonly TopologyHint[])[] => {
        const said = Object.values(p)
        if (said.length === 0) return [[{ nodes: undefined, preferred: true }]]
        return said.map((h) =>
          h === undefined ? [{ nodes: undefined, preferred: true }] : h.length === 0 ? [{ nodes: undefined, preferred: false }] : h,
        )
      })
      const ways = everyWay(lists)
      const { hint: found, admit } = mergeHints(providers, layout, { policy } as const)
      const preferred = ways.filter((w) => w.preferred)
      assert.equal(found.preferred, preferred.length > 0)
      assert.equal(admit, policy === 'best-effort' || found.preferred)
      if (ways.length === 0) assert.equal(found.nodes, ALL)
      else assert.ok(ways.some((w) => w.nodes === found.nodes && w.preferred === found.preferred))
      if (preferred.length > 0) assert.equal(countOf(found.nodes ?? 0), Math.min(...preferred.map((w) => countOf(w.nodes))))
    }),
  )
})

test('eight providers on a machine of twelve nodes are merged at once', () => {
  const nodes = [...Array(12).keys()]
  const hints = [...Array(4095).keys()].map((i) => ({ nodes: i + 1, preferred: false }))
  const providers = Array.from({ length: 8 }, () => ({ r: hints }))
  const { hint: found } = mergeHints(providers, { nodes, distances: new Map() }, { policy: 'best-effort' })
  assert.equal(countOf(found.nodes ?? 0), 1)
})
