import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseCidr } from '../../machinery/ip-address.ts'
import { addressRange } from './address-range.ts'

const rangeOf = (text: string) => {
  const cidr = parseCidr(text)
  assert.ok(cidr, text)
  return addressRange(cidr)
}

/** Sizes and offsets as `calculateRangeOffset` of Kubernetes' IP allocator gives them (KEP-3070). */
const RANGES: readonly (readonly [cidr: string, size: bigint, reserved: bigint, first: string, last: string])[] = [
  ['10.96.0.0/24', 254n, 16n, '10.96.0.1', '10.96.0.254'],
  ['10.96.0.77/24', 254n, 16n, '10.96.0.1', '10.96.0.254'],
  ['10.96.0.0/16', 65534n, 256n, '10.96.0.1', '10.96.255.254'],
  ['10.96.0.0/20', 4094n, 256n, '10.96.0.1', '10.96.15.254'],
  ['10.96.0.0/21', 2046n, 128n, '10.96.0.1', '10.96.7.254'],
  ['10.96.0.0/12', 1048574n, 256n, '10.96.0.1', '10.111.255.254'],
  ['192.168.1.32/27', 30n, 16n, '192.168.1.33', '192.168.1.62'],
  ['192.168.1.16/28', 14n, 0n, '192.168.1.17', '192.168.1.30'],
  ['192.168.1.8/29', 6n, 0n, '192.168.1.9', '192.168.1.14'],
  ['192.168.1.4/30', 2n, 0n, '192.168.1.5', '192.168.1.6'],
  ['fd00::/112', 65535n, 256n, 'fd00::1', 'fd00::ffff'],
  ['fd00::/120', 255n, 16n, 'fd00::1', 'fd00::ff'],
  ['fd00::/124', 15n, 0n, 'fd00::1', 'fd00::f'],
  ['fd00::/64', (1n << 64n) - 1n, 256n, 'fd00::1', 'fd00::ffff:ffff:ffff:ffff'],
]
for (const [cidr, size, reserved, first, last] of RANGES)
  test(`${cidr} has ${first} to ${last}, and ${reserved} of them only for explicit requests`, () => {
    const range = rangeOf(cidr)
    assert.deepEqual([range.size, range.reserved, range.at(0n), range.at(range.size - 1n)], [size, reserved, first, last])
  })

for (const cidr of ['10.0.0.0/31', '10.0.0.1/32'])
  test(`${cidr} has nothing to lend`, () => {
    const range = rangeOf(cidr)
    assert.deepEqual([range.size, range.offsetOf('10.0.0.0'), range.offsetOf('10.0.0.1')], [0n, undefined, undefined])
  })

const OUTSIDE: readonly (readonly [cidr: string, ip: string, why: string])[] = [
  ['10.96.0.0/24', '10.96.0.0', 'the network itself'],
  ['10.96.0.0/24', '10.96.0.255', 'the broadcast address'],
  ['10.96.0.0/24', '10.96.1.1', 'above the range'],
  ['10.96.0.0/24', '10.95.255.255', 'below the range'],
  ['10.96.0.0/24', 'fd00::1', 'of the other family'],
  ['fd00::/120', '10.0.0.1', 'of the other family'],
  ['fd00::/120', 'fd00::', 'the anycast address of the routers'],
  ['fd00::/120', 'fd00::100', 'above the range'],
  ['10.96.0.0/24', 'ten', 'no address'],
  ['10.96.0.0/24', '', 'no address'],
]
for (const [cidr, ip, why] of OUTSIDE)
  test(`'${ip}' is not lent by ${cidr}: ${why}`, () => {
    assert.equal(rangeOf(cidr).offsetOf(ip), undefined)
  })

test('small networks lend what a list of their addresses has between its ends', () => {
  const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
  fc.assert(
    fc.property(octets, fc.integer({ min: 22, max: 32 }), (given, prefix) => {
      const address = given.reduce((sum, octet) => sum * 256 + octet, 0)
      const count = 2 ** (32 - prefix)
      const network = Math.floor(address / count) * count
      const textOf = (n: number) => [24, 16, 8, 0].map((shift) => Math.floor(n / 2 ** shift) % 256).join('.')
      const lent = Array.from({ length: count }, (_, i) => textOf(network + i)).slice(1, -1)
      const range = rangeOf(`${given.join('.')}/${prefix}`)
      assert.equal(range.size, BigInt(lent.length))
      for (const [i, ip] of lent.entries()) assert.deepEqual([range.at(BigInt(i)), range.offsetOf(ip)], [ip, BigInt(i)])
      assert.ok(range.reserved <= range.size, 'what is kept lies inside of the range')
    }),
    { numRuns: 40 },
  )
})

test('an offset and its address are each other’s inverse in IPv6', () => {
  fc.assert(
    fc.property(fc.integer({ min: 64, max: 126 }), fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (prefix, seed) => {
      const range = rangeOf(`fd12:3456:789a::/${prefix}`)
      const offset = seed % range.size
      assert.equal(range.offsetOf(range.at(offset)), offset)
    }),
  )
})
