import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Toleration } from '../../../resources/types/core.ts'
import { mergeRuntimeTolerations } from './runtime-class.ts'
import { coversToleration, mergeTolerations } from './tolerations.ts'

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
    fc.property(list, list, (first, second) => assert.deepEqual(mergeTolerations(first, second), naive([...first, ...second]))),
    { numRuns: 2000 },
  )
})

test('many tolerations are not each compared with all', () => {
  let looks = 0
  const many = Array.from({ length: 3000 }, (_, i) => ({
    key: 'a',
    operator: 'Equal' as const,
    get value() {
      looks++
      return `v${i}`
    },
  }))
  assert.equal(mergeTolerations(many, []).length, 3000)
  assert.equal(mergeRuntimeTolerations(many, []).length, 3000)
  assert.ok(looks < 100 * many.length, `${looks} looks`)
})
