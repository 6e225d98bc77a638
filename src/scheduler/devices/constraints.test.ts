import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { DeviceAttribute, DeviceConstraint } from '../../resources/types/resource.ts'
import { ClaimConstraints } from './constraints.ts'
import type { PoolDevice } from './pools.ts'

const device = (attributes: Readonly<Record<string, DeviceAttribute>>): PoolDevice => ({
  driver: 'd.example.com',
  pool: 'p',
  device: { name: 'x', attributes },
  id: 'd.example.com/p/x',
  where: {},
})
const matching = (requests?: readonly string[]): DeviceConstraint => ({ matchAttribute: 'd.example.com/a', ...(requests && { requests }) })
const DISTINCT: DeviceConstraint = { distinctAttribute: 'd.example.com/a' }
const a = (int: number) => device({ 'd.example.com/a': { int } })

const ROWS: readonly (readonly [
  rule: string,
  constraint: DeviceConstraint,
  added: readonly (readonly [request: string, device: PoolDevice])[],
  allowed: readonly boolean[],
])[] = [
  [
    'devices that match have the value of the first',
    matching(),
    [
      ['r', a(1)],
      ['r', a(1)],
      ['r', a(2)],
    ],
    [true, true, false],
  ],
  ['a device without the attribute never matches', matching(), [['r', device({})]], [false]],
  [
    'values of other types differ',
    matching(),
    [
      ['r', a(1)],
      ['r', device({ 'd.example.com/a': { string: '1' } })],
    ],
    [true, false],
  ],
  [
    "the driver's own attribute needs no domain",
    matching(),
    [
      ['r', device({ a: { int: 1 } })],
      ['r', a(1)],
    ],
    [true, true],
  ],
  [
    'a constraint is about the requests that it names',
    matching(['r']),
    [
      ['r', a(1)],
      ['s', a(2)],
      ['r', a(2)],
    ],
    [true, true, false],
  ],
  [
    'and about their alternatives',
    matching(['r']),
    [
      ['r/x', a(1)],
      ['r/y', a(2)],
    ],
    [true, false],
  ],
  [
    'and about one alternative when it names that',
    matching(['r/x']),
    [
      ['r/x', a(1)],
      ['r/y', a(2)],
    ],
    [true, true],
  ],
  [
    'distinct values differ each from all others',
    DISTINCT,
    [
      ['r', a(1)],
      ['r', a(2)],
      ['r', a(1)],
    ],
    [true, true, false],
  ],
  ['a device without the attribute is never distinct', DISTINCT, [['r', device({})]], [false]],
]
for (const [rule, constraint, added, allowed] of ROWS)
  test(rule, () => {
    const constraints = new ClaimConstraints([constraint])
    assert.deepEqual(
      added.map(([request, chosen]) => constraints.add(request, chosen)),
      allowed,
    )
  })

test('a device that one constraint forbids leaves no trace in those before it', () => {
  const constraints = new ClaimConstraints([matching(), { distinctAttribute: 'd.example.com/b' }])
  const both = (x: number, y: number) => device({ 'd.example.com/a': { int: x }, 'd.example.com/b': { int: y } })
  assert.equal(constraints.add('r', both(1, 1)), true)
  assert.equal(constraints.add('r', both(1, 1)), false)
  constraints.takeBack('r')
  assert.equal(constraints.add('r', both(2, 1)), true)
})

test('whatever was added and taken back, a device is allowed as if only those that are there had been added', () => {
  const constraint = fc.record({
    kind: fc.constantFrom('matchAttribute', 'distinctAttribute'),
    requests: fc.constantFrom([], ['r'], ['s'], ['r/x']),
  })
  const step = fc.record({ back: fc.boolean(), request: fc.constantFrom('r', 's', 'r/x', 'r/y'), value: fc.integer({ min: 0, max: 2 }) })
  fc.assert(
    fc.property(fc.array(constraint, { maxLength: 3 }), fc.array(step, { maxLength: 12 }), (drawn, steps) => {
      const list = drawn.map(({ kind, requests }): DeviceConstraint => ({ [kind]: 'd.example.com/a', requests }))
      const kept = new ClaimConstraints(list)
      const there: { readonly request: string; readonly value: number }[] = []
      for (const { back, request, value } of steps) {
        if (back) {
          const last = there.pop()
          if (last !== undefined) kept.takeBack(last.request)
          continue
        }
        const anew = new ClaimConstraints(list)
        for (const before of there) anew.add(before.request, a(before.value))
        const allowed = anew.add(request, a(value))
        assert.equal(kept.add(request, a(value)), allowed)
        if (allowed) there.push({ request, value })
      }
    }),
  )
})
