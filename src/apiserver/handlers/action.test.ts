import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceAccounts } from '../../resources/core/serviceaccounts.ts'
import { handlerDouble } from './handler.double.ts'

const TOKEN = '/api/v1/namespaces/default/serviceaccounts/a/token'

test('who sets fields of a token request owns them, empty lists too', async () => {
  await using world = await handlerDouble(serviceAccounts, {
    actions: { 'serviceaccounts/token': async ({ input }) => structuredClone(input) },
  })
  const owned = async (spec: object) => {
    const { object } = await world.send(`POST ${TOKEN}`, { body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec } })
    return object.metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)
  }
  assert.deepEqual(await owned({ audiences: [] }), [{ 'f:spec': { 'f:audiences': {}, 'f:expirationSeconds': {} } }])
  assert.deepEqual(await owned({ audiences: null }), [{ 'f:spec': { 'f:expirationSeconds': {} } }])
})
