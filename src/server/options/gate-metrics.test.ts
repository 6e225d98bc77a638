import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../base/exposition.ts'
import { gateFamily } from './gate-metrics.ts'

test('each feature gate is shown with its stage and state', () => {
  const lines = exposition([gateFamily({ gates: new Set(['GangScheduling']), unusualGates: ['EnvFiles'] })]).split('\n')
  const of = (name: string) => lines.find((line) => line.includes(`name="${name}"`))
  assert.equal(of('APIServerIdentity'), 'kubernetes_feature_enabled{name="APIServerIdentity",stage="BETA"} 1')
  assert.match(of('GangScheduling') ?? '', /stage="ALPHA"\} 1$|stage="BETA"\} 1$/)
  assert.match(of('EnvFiles') ?? '', / 0$/)
})
