import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newKeyPair } from '../machinery/x509/certificate.ts'
import { privatePem, publicPem } from './issued-certificates.ts'
import { stepSigningKeys } from './signing-keys.ts'

const [a, b, c] = Array.from({ length: 3 }, () => privatePem(newKeyPair().privateKey)) as [string, string, string]
const publics = (...keys: string[]) => keys.map(publicPem)

for (const [what, found, step, expected] of [
  ['the first run makes a key', {}, 'keep', { present: c, next: undefined, known: publics(c) }],
  ['a run without a step keeps all', { present: a, known: publics(a, b) }, 'keep', { present: a, next: undefined, known: publics(a, b) }],
  ['the next key is known before it signs', { present: a, known: publics(a) }, 'rotate', { present: a, next: c, known: publics(a, c) }],
  [
    'then it signs, and the earlier one is still known',
    { present: a, next: b, known: publics(a, b) },
    'rotate',
    { present: b, next: undefined, known: publics(b, a) },
  ],
  ['earlier keys are forgotten', { present: b, known: publics(b, a) }, 'forget', { present: b, next: undefined, known: publics(b) }],
  ['the next key is not', { present: a, next: b, known: publics(a, b, c) }, 'forget', { present: a, next: b, known: publics(a, b) }],
] as const)
  test(what, () => {
    assert.deepEqual(
      stepSigningKeys(found, step, () => c),
      expected,
    )
  })
