import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce, type Steps } from '../../base/steps.ts'
import { type FieldError, invalid, required } from '../field-error.ts'
import { faultsInSteps, faultsOfEach, faultsThen } from './faults-of-each.ts'

const MANY = 100_000
const numbers = Array.from({ length: MANY }, (_, i) => i)
const odd = (n: number): FieldError[] => (n % 1000 === 1 ? [required(`items[${n}]`)] : [])
const fieldsOf = (faults: readonly FieldError[]) => faults.map(({ field }) => field)

/** The faults, and how many turns others were given while they were looked for. */
function run(steps: Steps<readonly FieldError[]>): { readonly fields: string[]; readonly turns: number } {
  for (let turns = 0; ; turns++) {
    const step = steps.next()
    if (step.done === true) return { fields: fieldsOf(step.value), turns }
  }
}

test('a loop over many items gives others their turns, wherever the validator has it, and finds what it finds at once', () => {
  const validators: Record<string, () => readonly FieldError[]> = {
    'one list': () => faultsOfEach(numbers, odd),
    'a list beside others': () => [required('a'), ...faultsOfEach(numbers, odd), required('b'), ...faultsOfEach(numbers, odd)],
    'lists in a list': () => faultsOfEach([0, 1, 2], (i) => [...faultsOfEach(numbers, odd), required(`${i}`)]),
    'many short lists': () => faultsOfEach(numbers.slice(0, MANY / 100), () => faultsOfEach(numbers.slice(0, 100), odd)),
    'the same faults twice': () => {
      const faults = faultsOfEach(numbers, odd)
      return [...faults, required('a'), ...faults]
    },
  }
  for (const [what, validate] of Object.entries(validators)) {
    const { fields, turns } = run(faultsInSteps(validate))
    assert.deepEqual(fields, fieldsOf(validate()), what)
    assert.ok(turns >= 10, `${what}: ${turns} turns`)
  }
})

test('a few items are validated without a turn for others', () => {
  assert.deepEqual(run(faultsInSteps(() => faultsOfEach([1, 2], odd))), { fields: ['items[1]'], turns: 0 })
})

test('what follows from a loop waits for all its items', () => {
  for (const last of [MANY - 1, MANY]) {
    const seen = new Set<number>()
    const noted = () => {
      const faults = faultsOfEach(numbers, (n) => {
        seen.add(n)
        return n === last ? [required('last')] : []
      })
      const sizes = faultsThen(faults, (found) => [...found, invalid('seen', seen.size, `${found.length}`)])
      return [required('first'), ...sizes]
    }
    const faults = atOnce(faultsInSteps(noted))
    assert.deepEqual(fieldsOf(faults), last < MANY ? ['first', 'last', 'seen'] : ['first', 'seen'])
    assert.equal(faults.at(-1)?.value, MANY)
  }
})

test('a thousand faults end the work, in one turn or in many', () => {
  let checked = 0
  const faulty = () => faultsOfEach(numbers, (n) => (checked++ % 10 === 0 ? [required(`${n}`)] : []))
  const { fields } = run(faultsInSteps(faulty))
  assert.equal(fields.length, 1000)
  assert.ok(checked < 10_000, `${checked} checks`)
})

test('in steps a validator finds the very faults, in the very order, that it finds at once', () => {
  const shape = fc.array(fc.oneof(fc.nat(9000), fc.array(fc.nat(3000), { maxLength: 4 })), { maxLength: 6 })
  fc.assert(
    fc.property(shape, (lists) => {
      const validate = () =>
        lists.flatMap((list, i) =>
          typeof list === 'number'
            ? some(list, `${i}`)
            : faultsThen(
                faultsOfEach(list, (n, j) => some(n, `${i}.${j}`)),
                (found) => [...found, required(`end of ${i}`)],
              ),
        )
      assert.deepEqual(fieldsOf(atOnce(faultsInSteps(validate))), fieldsOf(validate()).slice(0, 1000))
    }),
    { numRuns: 50 },
  )
})

/** Faults of every hundredth of so many items. */
const some = (length: number, path: string): FieldError[] =>
  faultsOfEach(numbers.slice(0, length), (n) => (n % 100 === 0 ? [required(`${path}[${n}]`)] : []))
