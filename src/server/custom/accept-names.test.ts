import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomResourceDefinition, DefinitionNames } from '../../resources/apiextensions/types.ts'
import { acceptNames } from './accept-names.ts'

const NAMES: DefinitionNames = { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' }

/** A definition with wanted names and accepted ones. */
function definition(name: string, wanted: DefinitionNames, held?: DefinitionNames, group = 'a.b'): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: { group, scope: 'Namespaced', names: wanted, versions: [] },
    status: { conditions: [], storedVersions: [], acceptedNames: held ?? { plural: '', kind: '' } },
  }
}

const taken = (names: Partial<DefinitionNames>, group?: string) =>
  definition('bars.a.b', { plural: 'bars', kind: 'Bar' }, { plural: 'bars', kind: 'Bar', ...names }, group)

test('free names are accepted', () => {
  const { names, accepted, complete } = acceptNames(definition('foos.a.b', { ...NAMES, shortNames: ['f'], categories: ['all'] }), [])
  assert.deepEqual(names, { ...NAMES, shortNames: ['f'], categories: ['all'] })
  assert.deepEqual([accepted.status, accepted.reason, complete], ['True', 'NoConflicts', true])
})

for (const [other, reason, message, missing] of [
  [{ plural: 'foos' }, 'PluralConflict', '"foos" is already in use', 'plural'],
  [{ singular: 'foo' }, 'SingularConflict', '"foo" is already in use', 'singular'],
  [{ shortNames: ['foo'] }, 'SingularConflict', '"foo" is already in use', 'singular'],
  [{ kind: 'Foo' }, 'KindConflict', '"Foo" is already in use', 'kind'],
  [{ kind: 'FooList' }, 'ListKindConflict', '"FooList" is already in use', 'listKind'],
  [{ shortNames: ['f', 'g'] }, 'ShortNamesConflict', '["f" is already in use, "g" is already in use]', 'shortNames'],
] as const)
  test(`a name that another definition of the group holds is refused, and the others are taken: ${JSON.stringify(other)}`, () => {
    const wanted = { ...NAMES, shortNames: ['f', 'g'] }
    const { names, accepted, complete } = acceptNames(definition('foos.a.b', wanted), [taken({ ...other } as Partial<DefinitionNames>)])
    assert.deepEqual([accepted.status, accepted.reason, accepted.message, complete], ['False', reason, message, false])
    const left: Partial<DefinitionNames> = { ...wanted }
    delete left[missing]
    assert.deepEqual(Object.fromEntries(Object.entries(names).filter(([, v]) => v !== '')), left)
  })

test('accepted names are kept, whichever definition wants them later', () => {
  const { names, complete } = acceptNames(definition('foos.a.b', NAMES, NAMES), [taken({ plural: 'foos', kind: 'Foo' })])
  assert.deepEqual([names, complete], [NAMES, true])
})

test('definitions of other groups, and the definition itself, do not conflict', () => {
  assert.equal(acceptNames(definition('foos.a.b', NAMES), [taken({ plural: 'foos' }, 'c.d')]).complete, true)
  assert.equal(acceptNames(definition('foos.a.b', NAMES), [definition('foos.a.b', NAMES, NAMES)]).complete, true)
})
