import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Claims } from './claims.ts'

/** The lifetime of a claim: `TENTATIVE_MS` of claims.ts. */
const LIFE = 30_000

const rules: readonly (readonly [rule: string, check: (claims: Claims) => void])[] = [
  ['what nobody claimed is free', (c) => assert.equal(c.holds('ip', 'a/x', 0), false)],
  ['another owner’s claim holds', (c) => assert.equal(claimed(c).holds('ip', 'a/y', 1), true)],
  ['an owner’s own claim does not hold against it', (c) => assert.equal(claimed(c).holds('ip', 'a/x', 1), false)],
  ['a claim on one thing is none on another', (c) => assert.equal(claimed(c).holds('port', 'a/y', 1), false)],
  ['a claim counts until its last millisecond', (c) => assert.equal(claimed(c).holds('ip', 'a/y', LIFE - 1), true)],
  ['and not after it', (c) => assert.equal(claimed(c).holds('ip', 'a/y', LIFE), false)],
  ['a tentative claim may be passed over', (c) => assert.equal(claimed(c, true).holds('ip', 'a/y', 1, false), false)],
  ['a firm claim may not', (c) => assert.equal(claimed(c, false).holds('ip', 'a/y', 1, false), true)],
  ['a tentative claim was chosen for its owner', (c) => assert.equal(claimed(c, true).isChosen('ip', 'a/x'), true)],
  ['a firm one was asked for', (c) => assert.equal(claimed(c, false).isChosen('ip', 'a/x'), false)],
  ['nothing was chosen for others', (c) => assert.equal(claimed(c, true).isChosen('ip', 'a/y'), false)],
  [
    'a release by the owner frees it',
    (c) => {
      claimed(c).release('ip', 'a/x')
      assert.equal(c.holds('ip', 'a/y', 1), false)
    },
  ],
  [
    'a release by another does nothing',
    (c) => {
      claimed(c).release('ip', 'a/y')
      assert.equal(c.holds('ip', 'a/y', 1), true)
    },
  ],
  [
    'the last claim counts',
    (c) => {
      claimed(c).claim('ip', 'a/y', 1, false)
      assert.deepEqual([c.holds('ip', 'a/x', 2), c.holds('ip', 'a/y', 2)], [true, false])
    },
  ],
]
for (const [rule, check] of rules) test(rule, () => check(new Claims()))

function claimed(claims: Claims, tentative = false): Claims {
  claims.claim('ip', 'a/x', 0, tentative)
  return claims
}

test('claims are what a list of them is, whenever they are swept out', () => {
  const what = fc.constantFrom('ip 1', 'ip 2', 'port 3')
  const owner = fc.constantFrom('a/x', 'a/y')
  const step = fc.record({
    kind: fc.constantFrom('claim' as const, 'release' as const, 'ask' as const),
    what,
    owner,
    tentative: fc.boolean(),
    later: fc.nat(20_000),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const claims = new Claims()
      const model = new Map<string, { owner: string; madeAt: number; tentative: boolean }>()
      let now = 0
      for (const { kind, what, owner, tentative, later } of steps) {
        now += later
        if (kind === 'claim') {
          claims.claim(what, owner, now, tentative)
          model.set(what, { owner, madeAt: now, tentative })
        } else if (kind === 'release') {
          claims.release(what, owner)
          if (model.get(what)?.owner === owner) model.delete(what)
        } else {
          const found = model.get(what)
          const counts = found !== undefined && found.owner !== owner && now - found.madeAt < LIFE
          assert.equal(claims.holds(what, owner, now, !tentative), counts && (!tentative || !found.tentative))
        }
      }
    }),
  )
})
