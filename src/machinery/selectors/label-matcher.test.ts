import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileMatcher, compileRequirement, type RequirementSource } from './label-matcher.ts'

const word = fc.constantFrom('a', 'b', 'c', '1', '07', '-3', '9223372036854775808', '__proto__', 'constructor', '')
const labels = fc.dictionary(word, word, { maxKeys: 4 })
const requirement = fc.record({
  key: word,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Near'),
  values: fc.option(fc.array(word, { maxLength: 3 }), { nil: undefined }),
})

/** The rules as the documentation tells them, without any preparation. */
function judge(
  { key, operator, values = [] }: RequirementSource & { values?: readonly string[] | undefined },
  given: Record<string, string>,
) {
  const own = Object.hasOwn(given, key) ? given[key] : undefined
  const number = (text: string | undefined) =>
    text !== undefined && /^[-+]?\d+$/.test(text) && BigInt(text) < 2n ** 63n ? BigInt(text) : undefined
  const [found, bound] = [number(own), number(values[0])]
  switch (operator) {
    case 'In':
      return own !== undefined && values.includes(own)
    case 'NotIn':
      return own === undefined || !values.includes(own)
    case 'Exists':
      return own !== undefined
    case 'DoesNotExist':
      return own === undefined
    case 'Gt':
      return found !== undefined && bound !== undefined && found > bound
    case 'Lt':
      return found !== undefined && bound !== undefined && found < bound
    default:
      return false
  }
}

test("a compiled requirement agrees with the selector's rules", () => {
  fc.assert(
    fc.property(requirement, labels, (one, given) => {
      assert.equal(compileRequirement(one)(given), judge(one, given))
    }),
    { numRuns: 2000 },
  )
})

test('a selector is all of its requirements', () => {
  fc.assert(
    fc.property(
      fc.dictionary(word, word, { maxKeys: 3 }),
      fc.array(requirement, { maxLength: 4 }),
      labels,
      (matchLabels, matchExpressions, given) => {
        const pairs = Object.entries(matchLabels).every(([key, value]) => Object.hasOwn(given, key) && given[key] === value)
        assert.equal(compileMatcher({ matchLabels, matchExpressions })(given), pairs && matchExpressions.every((one) => judge(one, given)))
      },
    ),
    { numRuns: 2000 },
  )
})

test('no selector matches nothing, an empty one everything', () => {
  assert.equal(compileMatcher(undefined)({ a: 'b' }), false)
  assert.equal(compileMatcher(null)({}), false)
  assert.equal(compileMatcher({})({}), true)
})
