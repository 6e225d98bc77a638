import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allOf, arrival, atOnce, inOrder, inTurns, promptly, type Steps, sortedInSteps } from './steps.ts'

function* sum(...parts: readonly (number | Promise<number>)[]): Steps<number> {
  let total = 0
  for (const part of parts) {
    total += yield* arrival(part)
    yield
  }
  return total
}

test('what need not wait for others is done at once', () => {
  assert.equal(atOnce(sum(1, 2)), 3)
  assert.equal(promptly(sum(1, 2)), 3)
})

test('all of several values are there at once, if none has to be waited for', async () => {
  assert.deepEqual(allOf([1, 2]), [1, 2])
  assert.deepEqual(await allOf([1, Promise.resolve(2)]), [1, 2])
})

test('what comes from others is waited for, in turns and without', async () => {
  const later = () => sum(1, Promise.resolve(2), Promise.resolve(3))
  assert.equal(await promptly(later()), 6)
  assert.equal(await inTurns(later()), 6)
  assert.throws(() => atOnce(later()), /cannot be done at once/)
})

test('what fails elsewhere fails in the work, and nowhere else', async () => {
  const failing = () => sum(Promise.reject(new Error('no answer')), 1)
  await assert.rejects(Promise.resolve(promptly(failing())), /no answer/)
  await assert.rejects(inTurns(failing()), /no answer/)
  assert.throws(() => atOnce(failing()), /cannot be done at once/)
})

test('sorting in steps gives what sorting gives, of equals too, and stops on its way', () => {
  const compare = (a: readonly [number, number], b: readonly [number, number]) => a[0] - b[0]
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 1, max: 1 << 30 }), (count, seed) => {
      const items = Array.from({ length: count }, (_, i) => [(i * seed) % 997, i] as const)
      assert.deepEqual(atOnce(sortedInSteps(items, compare)), items.toSorted(compare))
    }),
    { numRuns: 20 },
  )
  assert.ok(
    [
      ...sortedInSteps(
        Array.from({ length: 50_000 }, (_, i) => -i),
        (a, b) => a - b,
      ),
    ].length > 50,
  )
})

test('in sequence: none begins before the previous one is done, and without waiting all is done at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('now', 'later', 'fails'), { maxLength: 8 }), async (kinds) => {
      const reported: string[] = []
      const work = async (i: number) => {
        await Promise.resolve()
        reported.push(`end ${i}`)
        if (kinds[i] === 'fails') throw new Error(`no ${i}`)
      }
      const done = inOrder([...kinds.keys()], (i) => {
        reported.push(`begin ${i}`)
        if (kinds[i] !== 'now') return work(i)
        reported.push(`end ${i}`)
      })
      assert.equal(
        done === undefined,
        kinds.every((kind) => kind === 'now'),
      )
      const fails = kinds.indexOf('fails')
      const seen = fails < 0 ? kinds.length : fails + 1
      if (fails < 0) await done
      else await assert.rejects(Promise.resolve(done), new RegExp(`no ${fails}`))
      assert.deepEqual(
        reported,
        kinds.slice(0, seen).flatMap((_, i) => [`begin ${i}`, `end ${i}`]),
      )
    }),
  )
})
