import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterRole, PolicyRule } from '../../resources/types/rbac.ts'
import { sketch } from '../frame/sketch.double.ts'
import { planAggregation } from './plan.ts'

const rule = (verb: string): PolicyRule => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] })
const role = (name: string, labels: Record<string, string>, rules: readonly PolicyRule[], more: object = {}): ClusterRole =>
  sketch({ metadata: { name, labels }, rules, ...more })
const sum = (rules: readonly PolicyRule[]) =>
  role('sum', { in: 'x' }, rules, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { in: 'x' } }] } })
const PARTS = [role('b', { in: 'x' }, [rule('list')]), role('a', { in: 'x' }, [rule('get'), rule('list')]), role('c', {}, [rule('delete')])]

for (const [what, of, expected] of [
  ['gets the rules of others by their names, each once', sum([]), [rule('get'), rule('list')]],
  ['does not add to its own rules', sum([rule('watch')]), [rule('get'), rule('list')]],
  ['that has them is left alone', sum([rule('get'), rule('list')]), undefined],
  ['that is no sum is left alone', role('plain', {}, []), undefined],
] as const)
  test(`a role ${what}`, () => assert.deepEqual(planAggregation(of, [...PARTS, of]), expected))
