import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../machinery/object.ts'
import { readPath } from '../machinery/resource/definition.ts'
import { alreadyExists } from '../machinery/status-error.ts'
import type { Client } from '../sdk/client/client.ts'
import { type Registration, register } from './register.ts'

const REGISTRATION: Registration = {
  group: 'wardle.example.com',
  versions: ['v1', 'v1alpha1'],
  service: { namespace: 'default', name: 'wardle' },
  localPort: 8443,
  ca: 'PEM',
  groupPriority: 1000,
}

/** A cluster that has objects of these names already; and what is written to it. */
function cluster(present: readonly string[] = []) {
  const written: string[] = []
  const objects: KubeObject[] = []
  const client = Object.assign({} as Partial<Client>, {
    create: async ({ resource }: { resource: string }, object: KubeObject) => {
      const name = object.metadata.name ?? ''
      if (present.includes(name)) throw alreadyExists({ group: '', resource }, name)
      written.push(`create ${resource} ${name}`)
      objects.push(object)
      return object
    },
    patch: async ({ resource, name }: { resource: string; name: string }, type: string, patch: object) => {
      written.push(`${type} ${resource} ${name} ${Object.keys(patch)}`)
    },
  })
  return { client: client as Client, written, objects }
}

test('a service and an APIService a version are made', async () => {
  const { client, written, objects } = cluster()
  await register(client, REGISTRATION)
  assert.deepEqual(written, [
    'create services wardle',
    'create apiservices v1.wardle.example.com',
    'create apiservices v1alpha1.wardle.example.com',
  ])
  assert.deepEqual(objects[0]?.metadata.annotations, { 'bowsprit.dev/local-port': '8443' })
  assert.deepEqual(objects[1]?.spec, {
    group: 'wardle.example.com',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 100,
    service: { namespace: 'default', name: 'wardle', port: 443 },
    caBundle: Buffer.from('PEM').toString('base64'),
  })
})

test('the preferred version comes first', async () => {
  const { client, objects } = cluster()
  await register(client, REGISTRATION)
  assert.deepEqual(
    objects.slice(1).map((object) => readPath(object, ['spec', 'versionPriority'])),
    [100, 99],
  )
})

test('what is there is brought up to date', async () => {
  const { client, written } = cluster(['wardle', 'v1.wardle.example.com', 'v1alpha1.wardle.example.com'])
  await register(client, REGISTRATION)
  assert.deepEqual(written, [
    'merge services wardle metadata,spec',
    'merge apiservices v1.wardle.example.com metadata,spec',
    'merge apiservices v1alpha1.wardle.example.com metadata,spec',
  ])
})

test('an API inside the process has no service of its own and no authority', async () => {
  const { client, written, objects } = cluster()
  await register(client, { ...REGISTRATION, versions: ['v1'], localPort: undefined, ca: undefined })
  assert.deepEqual(written, ['create apiservices v1.wardle.example.com'])
  const [made] = objects
  assert.ok(made)
  assert.equal(readPath(made, ['spec', 'caBundle']), undefined)
})
