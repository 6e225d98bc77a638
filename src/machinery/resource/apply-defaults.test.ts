import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '../../base/turns.ts'
import { pods } from '../../resources/core/pods.ts'
import { secrets } from '../../resources/core/secrets.ts'
import { asKubeObject, type Json } from '../object.ts'
import { applyDefaults } from './apply-defaults.ts'

const members = (n: number, value: string) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, value]))
const objectOf = (rest: Record<string, Json>) => asKubeObject({ apiVersion: 'v1', kind: 'Any', metadata: {}, ...rest })

/** How many turns of the event loop the others had. */
async function turnsDuring(work: Promise<void> | void): Promise<number> {
  let turns = 0
  let ended = false
  const count = (): void => {
    turns++
    if (!ended) nextTurn(count)
  }
  nextTurn(count)
  await work
  ended = true
  return turns
}

test('a small object has its defaults at once', () => {
  const secret = objectOf({ stringData: { a: 'b' } })
  assert.equal(applyDefaults(secrets.rules, secret), undefined)
  assert.deepEqual(secret, objectOf({ type: 'Opaque', data: { a: 'Yg==' } }))
})

test('others have their turns while a hundred thousand texts are encoded', async () => {
  const secret = objectOf({ stringData: members(100_000, 'b') })
  assert.ok((await turnsDuring(applyDefaults(secrets.rules, secret))) > 10)
  assert.deepEqual(secret, objectOf({ type: 'Opaque', data: members(100_000, 'Yg==') }))
})

test('others have their turns while a hundred thousand limits become requests', async () => {
  const limits = members(100_000, '1')
  const resources: { limits: typeof limits; requests?: typeof limits } = { limits }
  const pod = objectOf({ spec: { containers: [{ name: 'a', resources }] } })
  assert.ok((await turnsDuring(applyDefaults(pods.rules, pod))) > 10)
  assert.deepEqual(resources.requests, limits)
})
