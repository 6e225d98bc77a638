import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { semanticEqual } from './equal.ts'
import {
  canonicalCidr,
  canonicalIp,
  cidr,
  cidrContains,
  cidrWarnings,
  ipAddress,
  ipText,
  ipWarnings,
  networkOf,
  parseCidr,
  parseIp,
} from './ip-address.ts'
import * as names from './names.ts'

test('a qualified name is one that no fault is found in', () => {
  const part = fc.stringMatching(/^[-aA1_.ä\n]{0,4}$/)
  const long = fc.constantFrom('a'.repeat(63), 'a'.repeat(64), `${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}ab`)
  const piece = fc.oneof(part, part, long)
  const reference = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
  const isRight = (name: string) => {
    const slash = name.lastIndexOf('/')
    return reference.test(name) && name.length - slash - 1 <= 63 && slash <= 253
  }
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 3 }), (pieces) => {
      const name = pieces.join('/')
      assert.equal(names.isQualifiedName(name), isRight(name), name)
      assert.equal(names.qualifiedName(name).length === 0, isRight(name), name)
    }),
    { numRuns: 3000 },
  )
})

test('names are accepted or refused as Kubernetes does', () => {
  const rules: [rule: (value: string) => string[], good: string[], bad: string[]][] = [
    [names.dns1123Label, ['a', 'a-b', '0'], ['', '-a', 'a-', 'A', 'a.b', 'a'.repeat(64)]],
    [names.dns1123Subdomain, ['a.b', 'a-b.c'], ['', 'a..b', '.a', 'a_b', 'a'.repeat(254)]],
    [names.dns1035Label, ['a0'], ['0a', 'a.b']],
    [names.qualifiedName, ['a', 'A_b.c', 'example.com/X'], ['', '/a', 'a/', 'a/b/c', 'Ex.com/a', 'a'.repeat(64)]],
    [names.labelValue, ['', 'A.b_c'], ['-', 'a b', 'a'.repeat(64)]],
    [names.pathSegmentName, ['a b', 'system:x'], ['.', '..', 'a/b', 'a%']],
    [names.configMapKey, ['.a', 'a-b_c.D'], ['', '.', '..', '..a', 'a b']],
    [names.envVarName, ['A=B'.slice(0, 1), '1 x'], ['', 'a=b', 'ä']],
    [names.ianaServiceName, ['http', 'a-1'], ['', '1', 'a--b', '-a', 'A', 'a'.repeat(16)]],
    [names.percent, ['10%'], ['10', '%']],
    [names.wildcardDns1123Subdomain, ['*.a.b'], ['*', 'a.b', '*.*.b']],
  ]
  for (const [rule, good, bad] of rules) {
    for (const value of good) assert.deepEqual(rule(value), [], `${rule.name} ${value}`)
    for (const value of bad) assert.notDeepEqual(rule(value), [], `${rule.name} ${value}`)
  }
})

for (const [rule, value, fault] of [
  [names.dns1123Label, 'a'.repeat(64), 'must be no more than 63 characters'],
  [names.shortName, 'a'.repeat(63), undefined],
  [names.shortName, 'a'.repeat(64), 'must be no more than 63 bytes'],
  [names.dns1123Subdomain, 'a'.repeat(254), 'must be no more than 253 characters'],
  [names.longName, 'a'.repeat(253), undefined],
  [names.longName, 'a'.repeat(254), 'must be no more than 253 bytes'],
] as const)
  test(`${rule.name} of ${value.length} letters: ${fault ?? 'no fault'}`, () =>
    assert.deepEqual(rule(value), fault === undefined ? [] : [fault]))

test('no text takes long to check', () => {
  const rules = [names.dns1123Subdomain, names.qualifiedName, names.wildcardDns1123Subdomain, names.dns1123SubdomainWithUnderscore]
  for (const text of ['a', '-', 'a.', 'a-', '_', 'a_'].map((part) => `${part.repeat(50_000)}!`))
    for (const rule of rules) assert.ok(rule(text).length > 0)
})

test('addresses are read forgivingly and printed canonically', () => {
  const table: [text: string, printed: string | undefined][] = [
    ['1.2.3.4', '1.2.3.4'],
    ['01.2.3.4', '1.2.3.4'],
    ['1.2.3', undefined],
    ['1.2.3.256', undefined],
    ['::', '::'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['1::2::3', undefined],
    ['fe80::1%eth0', undefined],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ]
  for (const [text, printed] of table) {
    const ip = parseIp(text)
    assert.equal(ip && ipText(ip), printed, text)
  }
  assert.equal(ipWarnings('f', '01.2.3.4').length, 1)
  assert.equal(cidrWarnings('f', '10.0.0.1/8').length, 1)
  const words = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(words, (list) => {
      const text = list.map((word) => word.toString(16)).join(':')
      const ip = parseIp(text)
      assert.ok(ip)
      assert.deepEqual(parseIp(ipText(ip))?.bytes, ip.bytes)
    }),
  )
})

test('a network contains its addresses', () => {
  const network = parseCidr('10.1.0.0/12')
  const [inside, outside] = [parseIp('10.15.255.255'), parseIp('10.16.0.0')]
  assert.ok(network && inside && outside)
  assert.equal(ipText(networkOf(network)), '10.0.0.0')
  assert.deepEqual([cidrContains(network, inside), cidrContains(network, outside)], [true, false])
})

test('an address is in a network exactly when both have the same network address', () => {
  const bytes = fc.oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 }))
  const near = fc.record({ bytes, bit: fc.nat(127), prefixLength: fc.nat(128) })
  fc.assert(
    fc.property(near, (given) => {
      const address = { bytes: [...given.bytes], standard: true }
      const prefixLength = Math.min(given.prefixLength, address.bytes.length * 8)
      const other = address.bytes.map((b, i) => (i === given.bit >> 3 ? b ^ (1 << (7 - (given.bit & 7))) : b))
      for (const ip of [address, { bytes: other, standard: true }]) {
        const wanted = ipText(networkOf({ address, prefixLength })) === ipText(networkOf({ address: ip, prefixLength }))
        assert.equal(cidrContains({ address, prefixLength }, ip), wanted)
      }
    }),
    { numRuns: 2000 },
  )
})

test('null, absent and the empty list are the same to Go, an empty struct is not', () => {
  assert.ok(semanticEqual({ a: null, b: [] }, {}))
  assert.ok(semanticEqual({ a: [{ b: [] }] }, { a: [{}] }))
  assert.ok(!semanticEqual({ emptyDir: {} }, {}))
  assert.ok(!semanticEqual({ a: [null] }, {}))
  assert.ok(!semanticEqual({ a: '' }, {}))
})

test('new addresses are read strictly, and newer kinds want the canonical form', () => {
  const cases: readonly (readonly [(value: string) => readonly string[], string, string])[] = [
    [ipAddress, '10.0.0.1', ''],
    [ipAddress, '010.0.0.1', 'must not have leading 0s'],
    [ipAddress, '::ffff:1.2.3.4', 'must not be an IPv4-mapped IPv6 address'],
    [ipAddress, 'FE80::1', ''],
    [canonicalIp, 'FE80::1', 'must be in canonical form ("fe80::1")'],
    [cidr, '10.0.0.0/8', ''],
    [cidr, '10.0.0.1/8', 'must not have bits set beyond the prefix length'],
    [cidr, '10.0.0.0/08', 'must not have leading 0s in IP or prefix length'],
    [cidr, '::ffff:1.2.3.0/120', 'must not have an IPv4-mapped IPv6 address'],
    [canonicalCidr, 'FE80::/64', 'must be in canonical form ("fe80::/64")'],
  ]
  for (const [check, value, want] of cases) assert.equal(check(value).join(), want, value)
})
