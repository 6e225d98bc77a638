import assert from 'node:assert/strict'
import { BlockList, isIPv6 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  canonicalCidr,
  canonicalIp,
  cidr,
  cidrContains,
  cidrWarnings,
  interfaceAddress,
  ipAddress,
  ipNumber,
  ipOfNumber,
  ipText,
  ipWarnings,
  networkOf,
  parseCidr,
  parseIp,
} from './ip-address.ts'

/** Mostly zeros, so that runs of them of different lengths occur. */
const word = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 0xff, 0xffff) })
const words = fc.array(word, { minLength: 8, maxLength: 8 })
const v4 = fc.array(fc.constantFrom(0, 1, 10, 127, 128, 254, 255), { minLength: 4, maxLength: 4 }).map((bytes) => bytes.join('.'))
const v6 = words.map((all) => all.map((w) => w.toString(16)).join(':'))
const isMapped = (text: string) => /^(0:){5}ffff:/.test(text)
/** The canonical form, as URLs have it (RFC 5952, but for addresses that contain an IPv4 one). */
const canonicalV6 = (text: string) => new URL(`http://[${text}]`).hostname.slice(1, -1)

const parsed = (text: string) => {
  const ip = parseIp(text)
  assert.ok(ip, text)
  return ip
}

test('the canonical text of an IPv6 address is that of URLs, and means the same address', () => {
  fc.assert(
    fc.property(v6, (text) => {
      fc.pre(!isMapped(text))
      const canonical = ipText(parsed(text))
      assert.equal(canonical, canonicalV6(text))
      assert.deepEqual(parsed(canonical).bytes, parsed(text).bytes)
      assert.deepEqual(canonicalIp(canonical), [])
    }),
  )
})

test('the texts that Node accepts as IPv6 addresses are accepted, and no others', () => {
  const piece = fc.constantFrom('0', '1', 'ffff', 'fffff', '', 'g', '1.2.3.4', '1.2.3', '256.1.1.1')
  fc.assert(
    fc.property(fc.array(piece, { minLength: 2, maxLength: 10 }), (pieces) => {
      const text = pieces.join(':')
      // A text without a colon in front of its first dot is an IPv4 address.
      fc.pre(text.indexOf(':') < (text.includes('.') ? text.indexOf('.') : text.length))
      assert.equal(parseIp(text) !== undefined, isIPv6(text), text)
    }),
    { numRuns: 2000 },
  )
})

test('a network contains the addresses that Node finds in it, and has the same network address', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.tuple(v4, v4, fc.nat(32)), fc.tuple(v6, v6, fc.nat(128))).filter(([a, b]) => !isMapped(a) && !isMapped(b)),
      ([base, other, prefixLength]) => {
        const network = parseCidr(`${base}/${prefixLength}`)
        assert.ok(network)
        const list = new BlockList()
        const family = base.includes(':') ? 'ipv6' : 'ipv4'
        list.addSubnet(base, prefixLength, family)
        assert.equal(cidrContains(network, parsed(other)), list.check(other, family))
        const bits = BigInt((family === 'ipv6' ? 128 : 32) - prefixLength)
        assert.equal(ipNumber(networkOf(network)), (ipNumber(parsed(base)) >> bits) << bits)
      },
    ),
  )
})

test('an address is the same after the way through its number', () => {
  fc.assert(
    fc.property(fc.oneof(v4, v6), (text) => {
      const ip = parsed(text)
      assert.deepEqual(ipOfNumber(ipNumber(ip), ip.bytes.length).bytes, ip.bytes)
    }),
  )
})

const NO_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

for (const [check, value, fault] of [
  [ipAddress, '10.0.0.1', undefined],
  [ipAddress, '2001:DB8::1', undefined],
  [ipAddress, '', NO_IP],
  [ipAddress, '10.0.0', NO_IP],
  [ipAddress, '10.0.0.1.2', NO_IP],
  [ipAddress, '10.0.0.256', NO_IP],
  [ipAddress, '10.0.0.x', NO_IP],
  [ipAddress, '010.0.0.1', 'must not have leading 0s'],
  [ipAddress, '10.0.0.01', 'must not have leading 0s'],
  [ipAddress, '0.0.0.0', undefined],
  [ipAddress, '::ffff:10.0.0.1', 'must not be an IPv4-mapped IPv6 address'],
  [ipAddress, '::ffff:a00:1', 'must not be an IPv4-mapped IPv6 address'],
  [ipAddress, '::fe:10.0.0.1', undefined],
  [ipAddress, '::feff:10.0.0.1', undefined],
  [ipAddress, '::fffe:10.0.0.1', undefined],
  [ipAddress, '1::ffff:10.0.0.1', undefined],
  [ipAddress, '::1.2.3.04', 'must not be an IPv4-mapped IPv6 address'],
  [canonicalIp, '2001:DB8::1', 'must be in canonical form ("2001:db8::1")'],
  [canonicalIp, '2001:db8::1', undefined],
  [canonicalIp, '010.0.0.1', 'must not have leading 0s'],
  [canonicalIp, 'x', NO_IP],
  [cidr, '10.0.0.0/8', undefined],
  [cidr, '10.0.0.0/32', undefined],
  [cidr, '10.0.0.0/33', NO_CIDR],
  [cidr, '::/128', undefined],
  [cidr, '::/129', NO_CIDR],
  [cidr, '10.0.0.0', NO_CIDR],
  [cidr, '10.0.0.0/x', NO_CIDR],
  [cidr, '10.0.0.1/8', 'must not have bits set beyond the prefix length'],
  [cidr, '10.0.0.0/08', 'must not have leading 0s in IP or prefix length'],
  [cidr, '010.0.0.0/8', 'must not have leading 0s in IP or prefix length'],
  [cidr, '::ffff:10.0.0.0/104', 'must not have an IPv4-mapped IPv6 address'],
  [cidr, '0.0.0.0/0', undefined],
  [canonicalCidr, '2001:DB8::/32', 'must be in canonical form ("2001:db8::/32")'],
  [canonicalCidr, '2001:db8::/32', undefined],
  [canonicalCidr, '10.0.0.1/8', 'must not have bits set beyond the prefix length'],
  [interfaceAddress, '10.0.0.1/8', undefined],
  [interfaceAddress, '10.0.0.01/8', 'must be in canonical form ("10.0.0.1/8")'],
  [interfaceAddress, '10.0.0.1', 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'],
] as const)
  test(`${check.name} ${value}: ${fault ?? 'no fault'}`, () => assert.deepEqual(check(value), fault === undefined ? [] : [fault]))

for (const [check, value, warning] of [
  [ipWarnings, '10.0.0.1', undefined],
  [ipWarnings, 'x', undefined],
  [ipWarnings, '010.0.0.1', 'f: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"'],
  [ipWarnings, '::ffff:1.2.3.4', 'f: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"'],
  [ipWarnings, '1:0::2', 'f: IPv6 address "1:0::2" should be in RFC 5952 canonical format ("1::2")'],
  [cidrWarnings, '10.0.0.0/8', undefined],
  [cidrWarnings, 'x', undefined],
  [cidrWarnings, '10.1.0.0/8', 'f: CIDR value "10.1.0.0/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.0.0/32"?)'],
  [cidrWarnings, '10.0.0.0/08', 'f: non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"'],
  [cidrWarnings, '0.0.0.0/0', undefined],
  [cidrWarnings, '::ffff:10.0.0.0/104', 'f: non-standard CIDR value "::ffff:10.0.0.0/104" is invalid: use "10.0.0.0/8"'],
  [cidrWarnings, '1:0::/64', 'f: IPv6 CIDR value "1:0::/64" should be in RFC 5952 canonical format ("1::/64")'],
] as const)
  test(`${check.name} ${value}: ${warning ?? 'none'}`, () => assert.deepEqual(check('f', value), warning === undefined ? [] : [warning]))
