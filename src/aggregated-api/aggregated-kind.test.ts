import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../machinery/object.ts'
import { AggregatedApiError } from './aggregated-api-error.ts'
import { type AggregatedKind, kindDefinition } from './aggregated-kind.ts'

type Flunder = KubeObject<{ size?: number }>
const FLUNDER: AggregatedKind<Flunder> = { kind: 'Flunder', plural: 'flunders', versions: [{ name: 'v1alpha1' }] }
const define = (more: Partial<AggregatedKind<Flunder>> = {}) => kindDefinition('wardle.example.com', { ...FLUNDER, ...more })

test('names are derived where they are not given', () => {
  assert.deepEqual(define().names, { kind: 'Flunder', listKind: 'FlunderList', plural: 'flunders', singular: 'flunder' })
})

test('given names are kept', () => {
  const { names } = define({ singular: 'fl', shortNames: ['f'], categories: ['all'] })
  assert.deepEqual([names.singular, names.shortNames, names.categories], ['fl', ['f'], ['all']])
})

test('the first version is stored, whatever its name', () => {
  assert.equal(define({ versions: [{ name: 'v1beta1' }, { name: 'v1' }] }).storageVersion, 'v1beta1')
})

for (const scope of ['Namespaced', 'Cluster'] as const) test(`a kind may be ${scope}`, () => assert.equal(define({ scope }).scope, scope))
test('a kind is namespaced by default', () => assert.equal(define().scope, 'Namespaced'))

test('clients read a computed kind and cannot write it', () => {
  assert.deepEqual(define({ computed: true }).verbs, ['get', 'list', 'watch'])
  assert.equal(define().verbs, undefined)
})

test('a kind without versions is refused', () => {
  assert.throws(
    () => define({ versions: [] }),
    (error) =>
      error instanceof AggregatedApiError &&
      error.code === 'bad-kind' &&
      /Flunder of wardle\.example\.com has no versions/.test(error.message),
  )
})

const flunder = (spec: object): KubeObject => ({
  apiVersion: 'wardle.example.com/v1alpha1',
  kind: 'Flunder',
  metadata: { name: 'f' },
  spec,
})
const CONTEXT = {} as Parameters<NonNullable<NonNullable<ReturnType<typeof kindDefinition>['rules']>['validateCreate']>>[1]

test('faults of the author’s code name the field and show its value', () => {
  const { rules } = define({ validate: ({ spec }) => ((spec?.size ?? 0) > 3 ? [{ field: 'spec.size', message: 'at most 3' }] : []) })
  const faults = rules?.validateCreate?.(flunder({ size: 5 }), CONTEXT) ?? []
  assert.deepEqual(
    faults.map(({ field, message }) => [field, message]),
    [['spec.size', 'Invalid value: 5: at most 3']],
  )
  assert.deepEqual(rules?.validateCreate?.(flunder({ size: 2 }), CONTEXT), [])
})

test('a fault may be of a field that is not there', () => {
  const { rules } = define({ validate: () => [{ field: 'spec.constructor.name', message: 'missing' }] })
  assert.deepEqual(
    rules?.validateCreate?.(flunder({}), CONTEXT)?.map(({ message }) => message),
    ['Invalid value: "": missing'],
  )
})

test('an update is compared with what was there, a create with nothing', () => {
  const seen: unknown[] = []
  const { rules } = define({
    validate: (_, old) => {
      seen.push(old?.spec)
      return []
    },
  })
  rules?.validateCreate?.(flunder({}), CONTEXT)
  rules?.validateUpdate?.(flunder({ a: 2 }), flunder({ a: 1 }), CONTEXT)
  assert.deepEqual(seen, [undefined, { a: 1 }])
})
