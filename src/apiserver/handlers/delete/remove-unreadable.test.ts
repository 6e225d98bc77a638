import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMaps } from '../../../resources/core/configmaps.ts'
import { StoreError } from '../../../storage/store.ts'
import { builtinPrefix } from '../../cache/storage-keys.ts'
import type { ServingDeps } from '../../deps.ts'
import { ALLOWED, NO_OPINION } from '../../identity/authorizer.ts'
import { handlerDouble } from '../handler.double.ts'

const CONFIG_MAPS = '/api/v1/namespaces/ns/configmaps'
const ON = { gates: new Set(['AllowUnsafeMalformedObjectDeletion']) }
const IGNORING = 'ignoreStoreReadErrorWithClusterBreakingPotential'
const options = (how: object = {}) => ({ body: { apiVersion: 'v1', kind: 'DeleteOptions', [IGNORING]: true, ...how } })

/** A config map `a` that the store cannot read, and one `b` that it can. */
async function withUnreadable(deps: Partial<ServingDeps> = ON) {
  const world = await handlerDouble(configMaps, deps)
  for (const name of ['a', 'b'])
    await world.send(`POST ${CONFIG_MAPS}`, { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers: ['x.y/z'] } } })
  const cache = world.watchCache.cacheOf('', 'configmaps')
  const storeKey = `${builtinPrefix('', 'configmaps')}ns/a`
  const error = new StoreError('untransformable', 'no matching key was found for the provided AES transformer')
  cache.unreadable.set('ns/a', { storeKey, revision: cache.get('ns/a')?.revision ?? 0, error })
  return { ...world, left: () => world.storage.get(storeKey), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

for (const [how, line, sent] of [
  ['in the body', `DELETE ${CONFIG_MAPS}/a`, options()],
  ['in the query', `DELETE ${CONFIG_MAPS}/a?${IGNORING}=true`, undefined],
] as const)
  test(`an object that cannot be read is deleted at once, finalizers and all: the option ${how}`, async () => {
    await using world = await withUnreadable()
    const { code, object } = await world.send(line, sent)
    const details = { name: 'a', kind: 'ConfigMap' }
    assert.deepEqual([code, object], [200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details, code: 200 }])
    assert.equal(await world.left(), undefined)
    assert.equal(await world.outcome(`GET ${CONFIG_MAPS}/a`), '404 NotFound: configmaps "a" not found')
  })

const INVALID = `422 Invalid: DeleteOptions.meta.k8s.io "" is invalid: ${IGNORING}: Invalid value: true:`
const EXCLUSIVE = 'is exclusively used to delete corrupt object(s), try again by removing this option'
const REFUSED: readonly (readonly [line: string, how: object, outcome: string])[] = [
  ['/a', { dryRun: ['All'] }, `${INVALID} cannot be set together with .dryRun`],
  ['/a', { gracePeriodSeconds: 0 }, `${INVALID} cannot be set together with .gracePeriodSeconds`],
  ['/a', { propagationPolicy: 'Foreground' }, `${INVALID} cannot be set together with .propagationPolicy`],
  ['/a', { orphanDependents: false }, `${INVALID} cannot be set together with .orphanDependents`],
  ['/a', { preconditions: { uid: 'x' } }, `${INVALID} cannot be set together with .preconditions`],
  ['', {}, `${INVALID} is not allowed with DELETECOLLECTION, try again after removing the option`],
  ['/b', {}, `422 Invalid: configmaps "b" is invalid: ${IGNORING}: Invalid value: true: ${EXCLUSIVE}`],
  ['/none', {}, `422 Invalid: configmaps "none" is invalid: ${IGNORING}: Invalid value: true: ${EXCLUSIVE}`],
]
for (const [line, how, outcome] of REFUSED)
  test(`refused: DELETE ${line} ${JSON.stringify(how)}`, async () => {
    await using world = await withUnreadable()
    assert.equal(await world.outcome(`DELETE ${CONFIG_MAPS}${line}`, options(how)), outcome)
    assert.ok(await world.left())
  })

test('it needs a verb of its own', async () => {
  const authorizer = { authorize: ({ verb }: { verb: string }) => (verb === 'unsafe-delete-ignore-read-errors' ? NO_OPINION : ALLOWED) }
  await using world = await withUnreadable({ ...ON, authorizer })
  const forbidden = '403 Forbidden: configmaps "a" is forbidden: not permitted to do "unsafe-delete-ignore-read-errors", reason: '
  assert.equal(await world.outcome(`DELETE ${CONFIG_MAPS}/a`, options()), forbidden)
  assert.ok(await world.left())
})

test('while the feature is off, the option has no effect', async () => {
  await using world = await withUnreadable({})
  const failed = '500 InternalError: Internal error occurred: no matching key was found for the provided AES transformer'
  assert.equal(await world.outcome(`DELETE ${CONFIG_MAPS}/a`, options()), failed)
  assert.equal(await world.outcome(`DELETE ${CONFIG_MAPS}/b`, options({ gracePeriodSeconds: 0 })), '200')
  assert.ok(await world.left())
})
