import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesContext } from '../../machinery/resource/rules-context.double.ts'
import { runtimeClasses } from './runtimeclasses.ts'

const apiVersion = 'node.k8s.io/v1'

function faultsOf(tolerations: readonly object[]) {
  const object = { apiVersion, kind: 'RuntimeClass', metadata: { name: 'a' }, handler: 'a', scheduling: { tolerations } }
  return runtimeClasses.rules.validateCreate?.(object, rulesContext({ apiVersion })).map((fault) => `${fault.type} ${fault.field}`)
}

test('a duplicate toleration of a runtime class is refused', () => {
  const one = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 }
  assert.deepEqual(faultsOf([one, { ...one, effect: 'NoSchedule', tolerationSeconds: undefined }]), [])
  assert.deepEqual(faultsOf([one, { ...one, tolerationSeconds: 2 }]), ['FieldValueDuplicate scheduling.tolerations[1]'])
  assert.deepEqual(faultsOf([one, { ...one, key: 'b' }, { ...one }]), ['FieldValueDuplicate scheduling.tolerations[2]'])
})
