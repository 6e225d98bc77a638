import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseQuantity, Quantity, QuantityError } from './quantity.ts'

test('a quantity is printed in canonical form', () => {
  const table: [text: string, printed: string, value: number, milli: number][] = [
    ['0', '0', 0, 0],
    ['00', '0', 0, 0],
    ['0.5', '500m', 1, 500],
    ['1.5', '1500m', 2, 1500],
    ['1000', '1k', 1000, 1_000_000],
    ['1000m', '1', 1, 1000],
    ['1024', '1024', 1024, 1_024_000],
    ['1024Ki', '1Mi', 2 ** 20, 2 ** 20 * 1000],
    ['1.5Gi', '1536Mi', 1.5 * 2 ** 30, 1.5 * 2 ** 30 * 1000],
    ['0.1Gi', '107374182400m', 107374183, 107374182400],
    ['1000Ki', '1000Ki', 1024000, 1024000000],
    ['512', '512', 512, 512000],
    ['12e6', '12e6', 12e6, 12e9],
    ['1.5e3', '1500', 1500, 1500000],
    ['0.1n', '1n', 1, 1],
    ['-0.5', '-500m', -1, -500],
    ['16Ei', '9223372036854775807', 2 ** 63, 2 ** 63],
  ]
  for (const [text, printed, value, milli] of table) {
    const quantity = parseQuantity(text)
    assert.deepEqual([quantity.toString(), quantity.value(), quantity.milliValue()], [printed, value, milli], text)
  }
})

for (const text of ['1500Mi', '1.500', '1e3', '1E3', '+5', '007', '100m'])
  test(`a text that looks canonical stays as it was written: ${JSON.stringify(text)}`, () =>
    assert.equal(parseQuantity(text).toString(), text))

test('what is no quantity is refused in the words of Kubernetes', () => {
  const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  for (const text of ['', 'abc', '1 Gi', '1.1.1', '1GiB', '0x10', 'one'])
    assert.throws(() => parseQuantity(text), { message: format }, text)
  for (const text of ['1K', '1e', '1mi', '1eE', '1Mi1'])
    assert.throws(() => parseQuantity(text), { message: "unable to parse quantity's suffix" }, text)
})

test('sums and differences are exact and keep the first format', () => {
  assert.equal(parseQuantity('1Gi').add(parseQuantity('512Mi')).toString(), '1536Mi')
  assert.equal(parseQuantity('100m').add(parseQuantity('1')).toString(), '1100m')
  assert.equal(parseQuantity('1').sub(parseQuantity('1n')).toString(), '999999999n')
  assert.equal(Quantity.zero.add(parseQuantity('1Ki')).format, 'BinarySI')
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (a, b) => {
      const sum = Quantity.of(a).add(Quantity.milli(b))
      assert.equal(sum.scaledValue(-3) === a * 1000n + b || a * 1000n + b > 2n ** 63n || a * 1000n + b < -(2n ** 63n), true)
      assert.equal(sum.sub(Quantity.of(a)).compare(Quantity.milli(b)), 0)
    }),
  )
})

test('the printed form is the same amount, and prints the same again', () => {
  const text = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      fc.integer({ min: 0 }),
      fc.constantFrom('', '.', '.5', '.125', '.000'),
      fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-2', 'E+5'),
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (written) => {
      const quantity = parseQuantity(written)
      const printed = quantity.toString()
      assert.equal(parseQuantity(printed).compare(quantity), 0)
      // A binary amount that is no multiple of 1024 is printed without a suffix, and read again as a decimal one.
      const readAsDecimal = quantity.format === 'BinarySI' && !printed.endsWith('i')
      if (!readAsDecimal) assert.equal(parseQuantity(printed).toString(), printed)
    }),
  )
})

test('a binary amount without a suffix is read again as a decimal one, as Kubernetes does', () => {
  assert.equal(parseQuantity('226467078.125Ki').toString(), '231902288000')
  assert.equal(parseQuantity('231902288000').toString(), '231902288k')
})

test('any text is a quantity or a QuantityError, at once', () => {
  const pieces = fc.array(
    fc.constantFrom('1', '0', '.', '-', '+', 'e', 'E', 'i', 'n', 'u', 'm', 'k', 'K', 'M', 'G', 'T', 'P', '9999999999', 'x', ' '),
  )
  fc.assert(
    fc.property(pieces, pieces, (a, b) => {
      try {
        const left = parseQuantity(a.join(''))
        const right = parseQuantity(b.join(''))
        assert.equal(left.compare(right) + right.compare(left), 0)
        left.add(right).toString()
        left.milliValue()
      } catch (error) {
        assert.ok(error instanceof QuantityError)
      }
    }),
    { numRuns: 1000 },
  )
})
