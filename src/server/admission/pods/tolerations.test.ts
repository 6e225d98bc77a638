import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../../base/steps.ts'
import type { Toleration } from '../../../resources/types/core.ts'
import { coversToleration, mergeTolerations, tolerationsAllowed } from './tolerations.ts'

/** Operators and effects as a client may write them, empty ones included. */
const toleration = fc.record(
  {
    key: fc.constantFrom('', 'a', 'b'),
    operator: fc.constantFrom('', 'Equal', 'Exists'),
    value: fc.constantFrom('', 'x', 'y'),
    effect: fc.constantFrom('', 'NoExecute', 'NoSchedule'),
    tolerationSeconds: fc.constantFrom(1, 2),
  },
  { requiredKeys: [] },
)
const list = fc.array(toleration, { maxLength: 6 }).map((all): readonly Toleration[] => all.map((one) => one as Toleration))
const said = (t: Toleration) => JSON.stringify([t.key ?? '', t.operator ?? '', t.value ?? '', t.effect ?? '', t.tolerationSeconds])

/** Compares each toleration with each other one. */
function naive(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = []
  for (const [i, one] of all.entries()) {
    const before = merged.some((kept) => coversToleration(kept, one))
    const after = all.slice(i + 1).some((later) => said(later) !== said(one) && coversToleration(later, one))
    if (!before && !after) merged.push(one)
  }
  return merged
}

test('of tolerations of which one covers the other, that one stays', () => {
  fc.assert(
    fc.property(list, list, (first, second) => assert.deepEqual(atOnce(mergeTolerations(first, second)), naive([...first, ...second]))),
    { numRuns: 5000 },
  )
})

test('tolerations are allowed if each is covered by one of the list', () => {
  fc.assert(
    fc.property(list, list, (tolerations, allowed) => {
      const expected = allowed.length === 0 || tolerations.every((one) => allowed.some((wide) => coversToleration(wide, one)))
      assert.equal(atOnce(tolerationsAllowed(tolerations, allowed)), expected)
    }),
    { numRuns: 5000 },
  )
})

const MANY = 3000
const alike: readonly (readonly [what: string, of: (i: number) => object, kept: number])[] = [
  ['of one key and different values', (i) => ({ operator: 'Equal', value: `v${i}` }), MANY],
  ['of one key and different effects', (i) => ({ operator: 'Exists', effect: `e${i}` }), MANY],
  ['of one key and growing seconds', (i) => ({ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: i }), 1],
  ['of one key and seconds that nobody heeds', (i) => ({ operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: i }), 1],
  ['of one key and no operator', (i) => ({ effect: 'NoExecute', tolerationSeconds: i }), MANY],
]
for (const [what, of, kept] of alike)
  test(`many tolerations ${what} are not each compared with all`, () => {
    let looks = 0
    const many = Array.from({ length: MANY }, (_, i) => ({
      get key() {
        looks++
        return 'a'
      },
      ...of(i),
    }))
    assert.equal(atOnce(mergeTolerations(many, [])).length, kept)
    assert.equal(atOnce(tolerationsAllowed(many, many)), true)
    assert.ok(looks < 100 * MANY, `${looks} looks`)
  })
