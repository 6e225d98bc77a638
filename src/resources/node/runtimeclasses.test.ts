import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../base/random.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { runtimeClasses } from './runtimeclasses.ts'

const context: RulesContext = {
  now: 0,
  random: seededRandom(1),
  user: { name: 'u', groups: [] },
  dryRun: false,
  subresource: '',
  apiVersion: 'node.k8s.io/v1',
  warn: () => {},
  reader: { get: () => undefined, list: () => [] },
}
const faultsOf = (tolerations: readonly object[]) =>
  runtimeClasses.rules
    .validateCreate?.(
      { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'a' }, handler: 'a', scheduling: { tolerations } },
      context,
    )
    .map((fault) => `${fault.type} ${fault.field}`)

test('a toleration stands once in a runtime class', () => {
  const one = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 }
  assert.deepEqual(faultsOf([one, { ...one, tolerationSeconds: 2 }, { ...one, effect: 'NoSchedule', tolerationSeconds: undefined }]), [])
  assert.deepEqual(faultsOf([one, { ...one, key: 'b' }, { ...one }]), ['FieldValueDuplicate scheduling.tolerations[2]'])
})
