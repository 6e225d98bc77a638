import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { claimOf, DRIVER, never, openClaims, podOf } from './claims-node.double.ts'
import { DriverDouble } from './drivers/driver-connection.double.ts'

const PODS = ['p0', 'p1', 'p2'] as const
const CLAIMS = ['a', 'b', 'c'] as const

type Step =
  | { readonly kind: 'start' | 'end'; readonly pod: number }
  | { readonly kind: 'together'; readonly first: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'refuse'; readonly claim: number }

const pod = fc.nat(PODS.length - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), pod }),
  fc.record({ kind: fc.constant('end' as const), pod }),
  fc.record({ kind: fc.constant('together' as const), first: pod }),
  fc.record({ kind: fc.constant('restart' as const) }),
  fc.record({ kind: fc.constant('refuse' as const), claim: fc.nat(CLAIMS.length - 1) }),
)
const uses = fc.tuple(...PODS.map(() => fc.subarray([...CLAIMS], { minLength: 1 })))

test('whatever is refused and restarted when: what a pod that was let through uses is ready, and nothing is left in the end', async () => {
  await fc.assert(
    fc.asyncProperty(uses, fc.array(step, { maxLength: 14 }), async (used, steps) => {
      const claims = CLAIMS.map((c) => claimOf(c, PODS))
      let at = openClaims(claims)
      const driver = new DriverDouble()
      at.node.drivers.add(DRIVER, driver.connection())
      /** The claims that the driver holds prepared, by the order of its calls. */
      const ready = () => {
        const now = new Set<string>()
        for (const { method, claim } of driver.done) method === 'prepare' ? now.add(claim) : now.delete(claim)
        return now
      }
      const running = new Set<string>()
      const start = async (i: number) => {
        const name = PODS[i] ?? ''
        if ((await at.node.beforeSandbox(podOf(name, used[i] ?? []), never)) === undefined) running.add(name)
      }
      const end = async (i: number) => {
        const name = PODS[i] ?? ''
        running.delete(name)
        await at.node.afterStop(podOf(name, used[i] ?? []), never).catch(() => {})
      }
      for (const s of steps) {
        if (s.kind === 'start') await start(s.pod)
        if (s.kind === 'end') await end(s.pod)
        if (s.kind === 'together') await Promise.all([start(s.first), end((s.first + 1) % 3), start((s.first + 2) % 3)])
        if (s.kind === 'refuse') driver.refuses.set(CLAIMS[s.claim] ?? '', driver.refuses.size % 2 === 0 ? 'not now' : '')
        if (s.kind === 'restart') {
          await at.node[Symbol.asyncDispose]()
          at = openClaims(claims, { text: at.file.text ?? '' })
          at.node.drivers.add(DRIVER, driver.connection())
        }
        for (const name of running)
          for (const c of used[PODS.indexOf(name as (typeof PODS)[number])] ?? []) assert.ok(ready().has(c), `${name} has no ${c}`)
      }
      driver.refuses.clear()
      for (const i of PODS.keys()) await end(i)
      assert.deepEqual([...ready()], [])
      assert.doesNotMatch(at.file.text ?? '', /ClaimName/)
      await at.node[Symbol.asyncDispose]()
    }),
    { numRuns: 150 },
  )
})
