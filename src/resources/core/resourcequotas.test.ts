import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesContext } from '../../machinery/resource/rules-context.double.ts'
import { resourceQuotas } from './resourcequotas.ts'

test('the names of a quota are looked through once, however many scopes it has', () => {
  let walks = 0
  const hard = new Proxy(Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`requests.a.b/x${i}`, '1'])), {
    ownKeys(target) {
      walks++
      return Reflect.ownKeys(target)
    },
  })
  const matchExpressions = Array.from({ length: 500 }, () => ({ scopeName: 'PriorityClass', operator: 'In', values: ['p'] }))
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard, scopeSelector: { matchExpressions } } }
  assert.deepEqual(resourceQuotas.rules.validateCreate?.(quota, rulesContext()), [])
  assert.ok(walks < 10, `${walks}`)
})
