import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import { type ResourceRules, readPath } from '../../machinery/resource/definition.ts'
import { rulesContext } from '../../machinery/resource/rules-context.double.ts'
import { type DeleteOptions, planDelete } from './plan-delete.ts'

const NOW = Date.UTC(2026, 0, 1)
const context = rulesContext({ now: NOW })
const NO_OPTIONS: DeleteOptions = {
  gracePeriodSeconds: undefined,
  orphanDependents: undefined,
  propagationPolicy: undefined,
  preconditions: undefined,
}
const GRACEFUL: ResourceRules = { gracePeriodSeconds: (_, requested) => requested ?? 30 }
const HELD: ResourceRules = { holdOnDelete: (draft) => readPath(draft, ['spec', 'held']) === true }
const CHILDLESS: ResourceRules = { defaultPropagation: 'Unsupported' }
const HELD_ONCE: ResourceRules = { holdOnDelete: (_draft, _context, first) => first }
const object = (metadata: ObjectMeta, spec?: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'K',
  metadata: { name: 'a', ...metadata },
  spec,
})

/** What is planned, as one text: the kind, and of a mark the grace, the seconds left, generation and finalizers. */
function planned(meta: ObjectMeta, options: Partial<DeleteOptions>, rules: ResourceRules, spec?: object): string {
  const plan = planDelete(object(meta, spec), { ...NO_OPTIONS, ...options }, rules, context)
  if (plan.kind !== 'mark') return plan.kind
  const { deletionTimestamp, deletionGracePeriodSeconds, generation, finalizers } = plan.draft.metadata
  const left = deletionTimestamp === undefined ? 'never' : `${(Date.parse(deletionTimestamp) - NOW) / 1000}s`
  return `mark${plan.thenDelete ? ' and delete' : ''}: ${left} grace=${deletionGracePeriodSeconds} gen=${generation} [${finalizers ?? ''}]`
}

const ORPHANED = { propagationPolicy: 'Orphan' }

test('finalizers, grace and holds decide what becomes of a deleted object', () => {
  const going = { deletionTimestamp: '2026-01-01T00:00:20Z', deletionGracePeriodSeconds: 30 }
  const cases: [rule: string, got: string, want: string][] = [
    ['nothing holds it', planned({}, {}, {}), 'delete'],
    ['a finalizer marks it', planned({ finalizers: ['x'], generation: 1 }, {}, {}), 'mark: 0s grace=0 gen=2 [x]'],
    ['orphaning is a finalizer', planned({}, { propagationPolicy: 'Orphan' }, {}), 'mark: 0s grace=0 gen=undefined [orphan]'],
    ['the foreground too', planned({}, { propagationPolicy: 'Foreground' }, {}), 'mark: 0s grace=0 gen=undefined [foregroundDeletion]'],
    ['background takes the two away', planned({ finalizers: ['orphan'] }, { propagationPolicy: 'Background' }, {}), 'delete'],
    ['what it said before stands', planned({ finalizers: ['orphan'] }, {}, {}), 'mark: 0s grace=0 gen=undefined [orphan]'],
    ['the old way of orphaning', planned({}, { orphanDependents: true }, {}), 'mark: 0s grace=0 gen=undefined [orphan]'],
    ['unless the kind has no dependents', planned({}, { propagationPolicy: 'Orphan' }, CHILDLESS), 'delete'],
    ['grace is a deadline', planned({ generation: 3 }, {}, GRACEFUL), 'mark: 30s grace=30 gen=4 []'],
    ['no grace goes at once', planned({}, { gracePeriodSeconds: 0 }, GRACEFUL), 'mark and delete: 0s grace=0 gen=undefined []'],
    ['or not, if it is held', planned({ finalizers: ['x'] }, { gracePeriodSeconds: 0 }, GRACEFUL), 'mark: 0s grace=0 gen=undefined [x]'],
    ['asked twice, nothing changes', planned(going, {}, GRACEFUL), 'pending'],
    ['a longer grace changes nothing', planned(going, { gracePeriodSeconds: 60 }, GRACEFUL), 'pending'],
    ['a shorter one is taken', planned(going, { gracePeriodSeconds: 15 }, GRACEFUL), 'mark: 5s grace=15 gen=undefined []'],
    ['one that is over is a second', planned(going, { gracePeriodSeconds: 5 }, GRACEFUL), 'mark: 0s grace=1 gen=undefined []'],
    ['none ends it', planned(going, { gracePeriodSeconds: 0 }, GRACEFUL), 'mark and delete: 0s grace=0 gen=undefined []'],
    ['the kind holds it', planned({ generation: 1 }, {}, HELD, { held: true }), 'mark: 0s grace=undefined gen=1 []'],
    ['and changes nothing more', planned({ deletionTimestamp: going.deletionTimestamp }, ORPHANED, HELD, { held: true }), 'pending'],
    ['or lets it go', planned({}, {}, HELD, { held: false }), 'delete'],
    ['or holds it once', planned({}, {}, HELD_ONCE), 'mark: 0s grace=undefined gen=undefined []'],
    ['and lets it go the second time', planned({ deletionTimestamp: going.deletionTimestamp }, {}, HELD_ONCE), 'delete'],
  ]
  for (const [rule, got, want] of cases) assert.equal(got, want, rule)
})

test('the object that is stored is not changed', () => {
  const before = object({ finalizers: ['x'], generation: 1 })
  const frozen = structuredClone(before)
  planDelete(before, { ...NO_OPTIONS, propagationPolicy: 'Foreground' }, GRACEFUL, context)
  assert.deepEqual(before, frozen)
})
