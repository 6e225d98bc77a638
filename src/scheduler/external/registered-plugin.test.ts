import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '../../resources/types/core.ts'
import {
  FitError,
  type Registrations,
  registerCustomFitPredicate,
  registerFitPredicate,
  registerPriorityConfigFactory,
  registerPriorityFunction2,
  registerScheduleAlgorithm,
  registrations,
  type ScheduleAlgorithm,
} from '../../sdk/scheduler-plugin/algorithm-registry.ts'
import type { PluginNode } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'
import { registeredPlugin } from './registered-plugin.ts'

const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [] } }
const node = (name: string): PluginNode => ({ name, node: { apiVersion: 'v1', kind: 'Node', metadata: { name } }, pods: [] })
const nodes = ['a', 'b', 'c'].map(node)
const tools = { args: {} }

const made = (chosen: Parameters<typeof registeredPlugin>[1], from: Registrations = registrations()) => registeredPlugin(from, chosen)

test('predicates run one after the other, and the first refusal gives the reason', async () => {
  const requested: string[] = []
  registerFitPredicate('Yes', (_pod, { name }) => requested.push(name) > 0)
  registerFitPredicate('NotB', async (_pod, { name }) => [name !== 'b', ['node(s) were b', 'and so on']])
  registerFitPredicate('NotC', (_pod, { name }) => name !== 'c')
  const plugin = made({ predicates: ['Yes', 'NotB', 'NotC'] })
  const said = []
  for (const one of nodes) said.push(await plugin.filter?.(pod, one, tools))
  assert.deepEqual(said, [undefined, 'node(s) were b, and so on', 'node(s) were turned down by a predicate'])
  assert.deepEqual(requested, ['a', 'b', 'c'])
})

test('priorities are reduced each for itself, and add up by their weights, a tenth being worth ten', async () => {
  registerPriorityFunction2('ByName', (_pod, { name }) => name.charCodeAt(0) - 97, undefined, 1)
  registerPriorityConfigFactory('Hard', {
    weight: 2,
    mapReduceFunction: ({ hardPodAffinitySymmetricWeight }) => ({
      map: (_pod, { name }) => (name === 'a' ? hardPodAffinitySymmetricWeight : 0),
      reduce(_pod, result) {
        for (const one of result) one.score = one.score > 0 ? 10 : 0
      },
    }),
  })
  const priorities = [
    { name: 'ByName', weight: 3 },
    { name: 'Hard', weight: 2 },
  ]
  const plugin = made({ priorities, hardPodAffinitySymmetricWeight: 50 })
  assert.deepEqual(await plugin.scoreNodes?.(pod, nodes, tools), [
    ['a', 200],
    ['b', 30],
    ['c', 60],
  ])
})

test('an algorithm keeps its chosen node; a FitError carries the reasons of each; anything else fails the pod', async () => {
  const run = (schedule: ScheduleAlgorithm['schedule']) => {
    registerScheduleAlgorithm('Mine', { schedule })
    return made({ algorithm: 'Mine' }).filterNodes?.(pod, nodes, tools)
  }
  const others = 'node(s) were not chosen'
  assert.deepEqual(await run(async () => 'b'), [
    ['a', others],
    ['c', others],
  ])
  const fit = () => {
    throw new FitError({ a: ['too hot', 'too loud'] })
  }
  assert.deepEqual(await run(fit), [
    ['a', 'too hot, too loud'],
    ['b', others],
    ['c', others],
  ])
  await assert.rejects(async () => run(() => 'z'), { message: 'it chose "z", which is no node that it was given' })
  await assert.rejects(async () => run(() => Promise.reject(new Error('not today'))), { message: 'not today' })
})

test('what a module no longer registers is named, and so is what it may not register', () => {
  assert.throws(() => made({ predicates: ['Gone'] }), { message: 'its module no longer registers the predicate "Gone"' })
  assert.throws(() => made({ priorities: [{ name: 'Gone', weight: 1 }] }), {
    message: 'its module no longer registers the priority "Gone"',
  })
  assert.throws(() => made({ algorithm: 'Gone' }), { message: 'its module no longer registers the schedule algorithm "Gone"' })
  assert.throws(() => registerFitPredicate('a b', () => true), /"a b" cannot be the name of a predicate/)
  assert.throws(
    () => registerPriorityFunction2('P', () => 1, undefined, 0),
    /priority "P" needs a positive whole number as its weight, not 0/,
  )
  assert.throws(() => registerCustomFitPredicate({ name: 'P', argument: {} }), /predicate "P" needs one argument/)
  assert.equal(registerCustomFitPredicate({ name: 'HostName' }), 'HostName')
})
