import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { groupPieces, type Piece } from '../../scripts/group-pieces.ts'

const piece = (name: string, bytes: number, ...imports: string[]): Piece => ({ name, bytes, imports, fixed: false })
const entry = (name: string, ...imports: string[]): Piece => ({ name, bytes: 100, imports, fixed: true })

test('pieces that the same roots need are one file', () => {
  const pieces = [entry('up', 'a', 'b'), entry('worker', 'c'), piece('a', 90_000), piece('b', 90_000), piece('c', 90_000)]
  assert.deepEqual(groupPieces(pieces, [['up'], ['worker']]), [['a', 'b']])
})

test('a small piece of one root joins the file of another that it needs', () => {
  const pieces = [entry('up', 'small'), entry('worker', 'large'), piece('small', 500, 'large'), piece('large', 90_000)]
  assert.deepEqual(groupPieces(pieces, [['up'], ['worker']]), [['small', 'large']])
})

test('a piece that costs a root more than a file is left alone', () => {
  const pieces = [entry('up', 'own', 'both'), entry('worker', 'both'), piece('own', 90_000), piece('both', 90_000)]
  assert.deepEqual(groupPieces(pieces, [['up'], ['worker']]), [])
})

test('two pieces with an entry between them are not one file: it would need itself', () => {
  const pieces = [entry('up', 'top'), piece('top', 500, 'between'), entry('between', 'bottom'), piece('bottom', 500)]
  assert.deepEqual(groupPieces(pieces, [['up', 'between']]), [])
})

test('what no root loads is left alone', () => {
  assert.deepEqual(groupPieces([entry('up'), piece('a', 500), piece('b', 500)], [['up']]), [])
})

test('whatever the pieces, no file needs itself by way of others, and each piece is in one group at most', () => {
  // Each piece imports only later ones.
  const graphs = fc
    .array(fc.record({ bytes: fc.nat(60_000), fixed: fc.boolean(), imports: fc.array(fc.nat(12)) }), { minLength: 3, maxLength: 12 })
    .map((drawn) =>
      drawn.map(({ bytes, fixed, imports }, i): Piece => {
        const later = [...new Set(imports)].filter((at) => at > i && at < drawn.length)
        return { name: `p${i}`, bytes, fixed, imports: later.map((at) => `p${at}`) }
      }),
    )
  fc.assert(
    fc.property(graphs, (pieces) => {
      const groups = groupPieces(pieces, [['p0'], ['p1', 'p2'], ['p2']])
      const grouped = groups.flat()
      assert.equal(new Set(grouped).size, grouped.length)
      assert.ok(pieces.every(({ name, fixed }) => !(fixed && grouped.includes(name))))
      assertNoCycle(pieces, groups)
    }),
  )
})

function assertNoCycle(pieces: readonly Piece[], groups: readonly (readonly string[])[]): void {
  const fileOf = (name: string) => groups.find((names) => names.includes(name))?.[0] ?? name
  const open = new Set<string>()
  const done = new Set<string>()
  const visit = (file: string) => {
    if (done.has(file)) return
    assert.ok(!open.has(file), `${file} needs itself`)
    open.add(file)
    for (const { name, imports } of pieces)
      if (fileOf(name) === file) for (const next of imports) if (fileOf(next) !== file) visit(fileOf(next))
    open.delete(file)
    done.add(file)
  }
  for (const { name } of pieces) visit(fileOf(name))
}
