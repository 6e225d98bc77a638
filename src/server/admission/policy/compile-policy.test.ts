import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pace } from '../../../base/steps.ts'
import { compiledPolicy } from './compile-policy.ts'
import type { AdmissionPolicy } from './policy-types.ts'

const policy = (name: string): AdmissionPolicy => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { validations: [{ expression: 'object.metadata.name != "a"' }] },
})

test('policies that are compiled one after the other give turns as one long policy does', async () => {
  const pace = new Pace()
  const made = Array.from({ length: 1000 }, (_, i) => compiledPolicy(policy(`p${i}`), pace))
  assert.ok(!(made[0] instanceof Promise))
  assert.ok(made.some((later) => later instanceof Promise))
  for (const compiled of await Promise.all(made)) assert.equal(compiled.validations.length, 1)
})
