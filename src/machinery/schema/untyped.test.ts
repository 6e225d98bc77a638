import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinSchema } from '../../resources/schema.ts'
import { hasUntypedValues } from './untyped.ts'

const KINDS: readonly (readonly [group: string, kind: string, untyped: boolean])[] = [
  ['apps', 'ControllerRevision', true],
  ['resource.k8s.io', 'ResourceClaim', true],
  ['apiextensions.k8s.io', 'CustomResourceDefinition', true],
  ['', 'Pod', false],
  ['', 'ConfigMap', false],
]
for (const [group, kind, untyped] of KINDS)
  test(`a ${kind} ${untyped ? 'may have' : 'has no'} values without a type`, () =>
    assert.equal(hasUntypedValues(builtinSchema(group, 'v1', kind)()), untyped))
