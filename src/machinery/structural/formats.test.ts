import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isKnownFormat, textFormat } from './formats.ts'

/** By format: texts that are one, and texts that are none (the examples of the RFCs, ISO 8601, and of go-openapi's strfmt). */
const FORMATS: readonly (readonly [format: string, right: readonly string[], wrong: readonly string[]])[] = [
  [
    'bsonobjectid',
    ['507f1f77bcf86cd799439011', '507F1F77BCF86CD799439011'],
    ['507f1f77bcf86cd79943901', '507f1f77bcf86cd7994390111', 'g07f1f77bcf86cd799439011'],
  ],
  ['uri', ['http://example.com/a?b=c', '/path', 'urn:isbn:0451450523'], ['', 'relative', 'http://a b/', '://x']],
  [
    'email',
    ['a@example.com', 'a.b+c@example.com', '"a b"@example.com', 'Name <a@example.com>', 'a@[127.0.0.1]'],
    ['', 'a', '@example.com', 'a@', 'a..b@example.com', 'a b@example.com'],
  ],
  [
    'hostname',
    ['a', 'example.com', 'a-b.example.org', '1.example.com', 'münchen.de'],
    ['', '-a', 'a-', 'a..b', 'a_b', 'example.c', 'example.1', `${'a'.repeat(64)}.com`, `${'a.'.repeat(127)}com`],
  ],
  ['ipv4', ['1.2.3.4', '255.255.255.255', '::ffff:1.2.3.4'], ['1.2.3', '256.1.1.1', '::1', '']],
  ['ipv6', ['::1', '2001:db8::1', '::ffff:1.2.3.4'], ['1.2.3.4', ':::', '12345::', '']],
  [
    'cidr',
    ['10.0.0.0/8', '10.0.0.1/32', '::/0', '2001:db8::/128'],
    ['10.0.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', '10.0.0.0/a', '/8', '10.0.0/8'],
  ],
  [
    'mac',
    ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '01:23:45:67:89:ab:cd:ef', '0123.4567.89ab'],
    ['01:23:45:67:89', '01:23:45:67:89:ag', '01:23-45:67:89:ab', '0123.4567', ''],
  ],
  [
    'uuid',
    ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'],
    ['123e4567-e89b-12d3-a456-42661417400', 'x23e4567-e89b-12d3-a456-426614174000', ''],
  ],
  ['uuid3', ['bcd02e22-68f0-3046-a512-327cca9def8f'], ['bcd02e22-68f0-4046-a512-327cca9def8f']],
  ['uuid4', ['025b0d74-00a2-4048-bf57-227c5111bb34'], ['025b0d74-00a2-3048-bf57-227c5111bb34', '025b0d74-00a2-4048-cf57-227c5111bb34']],
  ['uuid5', ['886313e1-3b8a-5372-9b90-0c9aee199e5d'], ['886313e1-3b8a-4372-9b90-0c9aee199e5d', '886313e1-3b8a-5372-7b90-0c9aee199e5d']],
  ['isbn', ['0-306-40615-2', '978-0-306-40615-7'], ['0-306-40615-3', '978-0-306-40615-8', '0']],
  ['isbn10', ['0321751043', '0-8044-2957-X'], ['0321751042', '9780306406157', '0-8044-2957-Y']],
  ['isbn13', ['978 3401013190', '9780306406157'], ['978 3401013191', '0321751043']],
  [
    'creditcard',
    ['4111-1111-1111-1111', '378282246310005', '5555555555554444', '6011111111111117'],
    ['4111-1111-1111-1112', '1111111111111117', ''],
  ],
  ['ssn', ['111-11-1111', '111 11 1111', '111111111'], ['111-11-111', '11-111-1111', '']],
  ['hexcolor', ['#FFFFFF', 'fff', '#0aF'], ['#ff', '#gggggg', '#fffffff', '']],
  ['rgbcolor', ['rgb(0,0,0)', 'rgb(255, 100,1)', 'rgb( 9 , 99 , 199 )'], ['rgb(256,0,0)', 'rgb(0,0)', 'rgba(0,0,0)', 'rgb(01,0,0)']],
  ['byte', ['aGk=', 'aGVsbG8h', 'QUI='], ['', 'aGk', 'a===', '!!!!']],
  ['password', ['', 'anything'], []],
  ['date', ['2026-02-28', '2024-02-29', '0001-01-01'], ['2026-02-29', '2026-13-01', '2026-00-10', '2026-1-1', '2026-04-31', '']],
  [
    'date-time',
    ['2026-01-31T23:59:59Z', '2026-01-31t00:00:60z', '2026-01-31T12:30:00.123+02:00'],
    ['2026-01-31', '2026-01-31T24:00:00Z', '2026-01-31T12:60:00Z', '2026-01-31T12:00:61Z', '2026-02-30T12:00:00Z', '2026-01-31T12:00:00'],
  ],
  ['datetime', ['2026-01-31T23:59:59Z'], ['2026-01-31']],
  [
    'duration',
    ['0', '1h', '1.5h', '1h30m', '-3s', '100ms', '3 weeks', '2 days 4 hours', '1us'],
    ['', '1', 'h', '1x', '1 fortnight', '--1s'],
  ],
  ['k8s-short-name', ['a-b', '0'], ['a.b', '-a', 'a'.repeat(64)]],
  ['k8s-long-name', ['a.b', 'a-b'], ['a_b', '.a', 'a'.repeat(254)]],
]

for (const [format, right, wrong] of FORMATS) {
  for (const text of right) test(`${JSON.stringify(text)} is a ${format}`, () => assert.equal(textFormat(format)?.(text), true))
  for (const text of wrong)
    test(`${JSON.stringify(text.slice(0, 50))} (${text.length}) is no ${format}`, () => assert.equal(textFormat(format)?.(text), false))
}

for (const [type, format, known] of [
  ['string', 'date', true],
  ['', 'date', true],
  ['string', 'd-a-t-e', true],
  ['string', 'int32', false],
  ['string', 'constructor', false],
  ['integer', 'int32', true],
  ['integer', 'int64', true],
  ['integer', 'float', false],
  ['number', 'float', true],
  ['number', 'double', true],
  ['number', 'int64', false],
  ['integer', 'date', false],
  ['boolean', 'int32', false],
  ['object', 'date', false],
] as const)
  test(`${format} ${known ? 'means something' : 'means nothing'} for ${JSON.stringify(type)}`, () =>
    assert.equal(isKnownFormat(type, format), known))

const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })

test('every date that JavaScript writes is one', () => {
  fc.assert(
    fc.property(date, (day) => {
      const text = day.toISOString()
      assert.equal(textFormat('date-time')?.(text), true)
      assert.equal(textFormat('date')?.(text.slice(0, 10)), true)
    }),
  )
})

test('a text is a date when the calendar has that day', () => {
  const number = (digits: number) => fc.nat(digits === 4 ? 2400 : 35).map((n) => String(n).padStart(digits, '0'))
  fc.assert(
    fc.property(number(4), number(2), number(2), (year, month, day) => {
      const parsed = new Date(`${year}-${month}-${day}T00:00:00Z`)
      // JavaScript takes the 31st of every month, and moves on to the next month.
      const exists = !Number.isNaN(parsed.getTime()) && parsed.getUTCDate() === Number(day)
      assert.equal(textFormat('date')?.(`${year}-${month}-${day}`), exists)
    }),
    { numRuns: 1000 },
  )
})

test('base64 is what Buffer writes, but for the empty text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (bytes) => {
      assert.equal(textFormat('byte')?.(Buffer.from(bytes).toString('base64')), true)
    }),
  )
})

test('one wrong digit spoils an ISBN-13 (its weights are 1 and 3)', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 12, maxLength: 12 }), fc.nat(12), fc.integer({ min: 1, max: 9 }), (digits, at, by) => {
      const sum = digits.reduce((n, digit, i) => n + digit * (i % 2 === 0 ? 1 : 3), 0)
      const whole = [...digits, (10 - (sum % 10)) % 10]
      assert.equal(textFormat('isbn13')?.(whole.join('')), true)
      const spoiled = whole.with(at, ((whole[at] ?? 0) + by) % 10)
      assert.equal(textFormat('isbn13')?.(spoiled.join('')), false)
    }),
  )
})
