import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cidrContains, networkOf, parseCidr } from '../../machinery/ip-address.ts'
import { createRangeAllocator } from './range-allocator.ts'
import { NodeRangesError, readNodeRanges } from './ranges.ts'

test('ranges that can be used, and those that cannot', () => {
  for (const [clusterCidr, more] of [
    ['10.244.0.0/16', {}],
    ['10.244.3.9/16', {}],
    ['fd00::/48,10.0.0.0/8', {}],
    ['10.0.0.0/24', {}],
    ['10.0.0.0/8', { maskSizeIpv4: 30 }],
    ['10.0.0.0/16', { serviceCidr: '10.0.0.0/24,fd00::/112' }],
  ] as const)
    assert.ok(readNodeRanges({ clusterCidr, ...more }).ranges.length > 0, clusterCidr)
  for (const [clusterCidr, more, why] of [
    ['', {}, /--cluster-cidr: "" is not a range/],
    ['10.0.0.0', {}, /is not a range/],
    ['10.0.0.0/16,10.1.0.0/16', {}, /one of IPv4 and one of IPv6/],
    ['10.0.0.0/16,fd00::/56,fd01::/56', {}, /one of IPv4 and one of IPv6/],
    ['10.0.0.0/25', {}, /no room for a node's \/24/],
    ['fd00::/40', {}, /too small/],
    ['10.0.0.0/8', { maskSizeIpv4: 32 }, /too small/],
    ['10.0.0.0/8', { maskSizeIpv4: Number.NaN }, /--node-cidr-mask-size-ipv4/],
    ['fd00::/64', { maskSizeIpv6: 129 }, /--node-cidr-mask-size-ipv6/],
    ['10.0.0.0/8', { serviceCidr: 'x' }, /--service-cluster-ip-range/],
  ] as const)
    assert.throws(
      () => readNodeRanges({ clusterCidr, ...more }),
      (e) => e instanceof NodeRangesError && why.test(e.message),
      clusterCidr,
    )
})

test('blocks are given in turn, of both families or of none, and never those of services', () => {
  // As kube-controller-manager 1.36.3 gave them.
  const serviceCidr = '10.0.0.0/24'
  const four = createRangeAllocator(readNodeRanges({ clusterCidr: '10.0.0.0/22,fd00::/62', serviceCidr }))
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((name) => four.allocate(name)),
    [['10.0.1.0/24', 'fd00::/64'], ['10.0.2.0/24', 'fd00:0:0:1::/64'], ['10.0.3.0/24', 'fd00:0:0:2::/64'], undefined],
  )
  assert.equal(four.free('b'), true)
  assert.deepEqual(four.allocate('d'), ['10.0.2.0/24', 'fd00:0:0:3::/64'])
  assert.deepEqual(four.allocate('d'), ['10.0.2.0/24', 'fd00:0:0:3::/64'], 'asked again')
  assert.equal(four.free('nobody'), false)

  const all = createRangeAllocator(readNodeRanges({ clusterCidr: '10.0.0.0/24', serviceCidr: '10.0.0.0/8' }))
  assert.equal(all.allocate('a'), undefined, 'all of it is of services')
})

test('a range that a node claims is reserved until the last node claiming it is gone', () => {
  const two = createRangeAllocator(readNodeRanges({ clusterCidr: '10.0.0.0/23' }))
  assert.deepEqual(two.keep('own', ['10.0.0.128/25']), [])
  assert.deepEqual(two.keep('same', ['10.0.0.0/24', '192.168.0.0/24', 'no range', 'fd00::/64']), [
    '192.168.0.0/24',
    'no range',
    'fd00::/64',
  ])
  assert.deepEqual(two.allocate('a'), ['10.0.1.0/24'])
  two.free('own')
  assert.equal(two.allocate('b'), undefined)
  two.free('same')
  assert.deepEqual(two.allocate('b'), ['10.0.0.0/24'])
  // A node of that name that went had more.
  two.free('a')
  two.free('b')
  two.keep('a', ['10.0.0.0/16'])
  assert.equal(two.allocate('b'), undefined)
  assert.deepEqual(two.allocate('a'), ['10.0.1.0/24'])
  assert.deepEqual(two.allocate('b'), ['10.0.0.0/24'])
})

const step = fc.record({ node: fc.integer({ min: 0, max: 20 }), free: fc.boolean() })

test('property: no range is allocated twice, all are used, and released ones are used again', () => {
  const shapes = fc.constantFrom(
    { clusterCidr: '10.0.0.0/21', room: 8 },
    { clusterCidr: '10.0.0.0/28,fd00::/125', maskSizeIpv4: 32, maskSizeIpv6: 128, room: 8 },
    { clusterCidr: 'fd00:0:0:fff0::/60', maskSizeIpv6: 66, room: 64 },
    { clusterCidr: '10.0.0.0/21', serviceCidr: '10.0.2.0/23', room: 6 },
  )
  fc.assert(
    fc.property(shapes, fc.array(step, { maxLength: 60 }), ({ room, ...input }, steps) => {
      const ranges = readNodeRanges(input)
      const allocator = createRangeAllocator(ranges)
      const held = new Map<number, readonly string[]>()
      for (const { node, free } of steps) {
        if (free) {
          assert.equal(allocator.free(String(node)), held.delete(node))
          continue
        }
        const got = allocator.allocate(String(node))
        assert.equal(got === undefined, !held.has(node) && held.size === room, `${held.size} of ${room}`)
        if (got === undefined) continue
        assert.deepEqual(held.get(node) ?? got, got)
        held.set(node, got)
      }
      const all = [...held.values()].flat().map((text) => parseCidr(text) ?? assert.fail(text))
      const apart = [...all, ...ranges.except]
      for (const cidr of all) {
        assert.equal(ranges.ranges.filter(({ range }) => cidrContains(range, cidr.address)).length, 1)
        for (const other of apart) if (other !== cidr) assert.ok(!cidrContains(other, networkOf(cidr)))
      }
    }),
  )
})
