import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition, DefinitionNames } from '../../resources/apiextensions/types.ts'
import { planStatus } from './plan-status.ts'

const NOW = '2026-01-01T00:00:00Z'

const crd = (names: Partial<DefinitionNames>, status: Partial<CustomResourceDefinition['status']> = {}): CustomResourceDefinition => {
  const all = { plural: 'shirts', singular: 'shirt', kind: 'Shirt', listKind: 'ShirtList', ...names }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${all.plural}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names: all, versions: [] },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'], ...status },
  }
}
const held = (names: Partial<DefinitionNames>) => {
  const made = crd(names)
  return { ...made, status: { ...made.status, acceptedNames: made.spec.names } }
}

for (const [what, others, reason, message, established] of [
  ['free names are accepted', [], 'NoConflicts', 'no conflicts found', 'True'],
  [
    'the kind of another',
    [held({ plural: 'tops', singular: 'top', listKind: 'TopList' })],
    'KindConflict',
    '"Shirt" is already in use',
    'False',
  ],
  [
    'a list kind that is the kind of another',
    [held({ plural: 'tops', singular: 'top', kind: 'ShirtList', listKind: 'X' })],
    'ListKindConflict',
    '"ShirtList" is already in use',
    'False',
  ],
  [
    'a singular that is a short name of another',
    [held({ plural: 'tops', singular: 'top', kind: 'Top', listKind: 'TopList', shortNames: ['shirt'] })],
    'SingularConflict',
    '"shirt" is already in use',
    'False',
  ],
] as const) {
  test(what, () => {
    const { conditions } = planStatus(crd({}), others, NOW)
    const accepted = conditions?.find((c) => c.type === 'NamesAccepted')
    assert.deepEqual([accepted?.reason, accepted?.message], [reason, message])
    assert.equal(conditions?.find((c) => c.type === 'Established')?.status, established)
  })
}

test('what was established stays so when new names are refused', () => {
  const first = planStatus(crd({}), [], NOW)
  const changed = crd({ shortNames: ['s'] }, first)
  const { conditions, acceptedNames } = planStatus(
    changed,
    [held({ plural: 'socks', singular: 'sock', kind: 'Sock', listKind: 'SockList', shortNames: ['s'] })],
    NOW,
  )
  assert.equal(conditions?.find((c) => c.type === 'Established')?.status, 'True')
  assert.equal(conditions?.find((c) => c.type === 'NamesAccepted')?.status, 'False')
  assert.equal(acceptedNames.shortNames, undefined)
})
