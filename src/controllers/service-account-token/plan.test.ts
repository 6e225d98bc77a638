import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Secret, ServiceAccount } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { ACCOUNT_NAME, ACCOUNT_UID, fixedData, planTokenSecret, TOKEN_TYPE } from './plan.ts'

const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot', namespace: 'n', uid: 'u' } }
const secret = (uid: string | undefined, data: object, more: object = {}): Secret =>
  sketch({
    apiVersion: 'v1',
    kind: 'Secret',
    type: TOKEN_TYPE,
    metadata: {
      name: 't',
      namespace: 'n',
      annotations: { [ACCOUNT_NAME]: 'bot', ...(uid === undefined ? {} : { [ACCOUNT_UID]: uid }) },
      ...more,
    },
    data,
  })
const whole = { ...fixedData(secret('u', {}), 'pem'), token: 'dA==' }

for (const [what, of, owner, expected] of [
  ['new', secret(undefined, {}), account, 'fill true'],
  ['whole', secret('u', whole), account, 'keep'],
  ['without its token', secret('u', { ...whole, token: undefined }), account, 'fill true'],
  ['with an old authority', secret('u', { ...whole, 'ca.crt': 'b2xk' }), account, 'fill false'],
  ['whole, but without the uid of its account', secret(undefined, whole), account, 'keep'],
  ['new, with an empty uid', secret('', {}), account, 'fill true'],
  ['without an account', secret('u', whole), undefined, 'delete'],
  ['of another account of that name', secret('before', whole), account, 'delete'],
  ['on its way out', secret('u', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), undefined, 'keep'],
] as const)
  test(`a token secret is filled, kept up, and goes with its account: ${what}`, () => {
    const plan = planTokenSecret(of, owner, 'pem')
    assert.equal(plan.kind === 'fill' ? `fill ${plan.token}` : plan.kind, expected, what)
  })
