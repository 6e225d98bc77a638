import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbiddenStatus, notFound } from '../../machinery/status-error.ts'
import type { Client, Target } from '../../sdk/client/client.ts'
import type { CatalogueEntry } from '../frame/catalogue.ts'
import { scaleOf } from './scale.ts'

const served = (group: string, version: string, resource: string, kind: string): CatalogueEntry => {
  return { group, version, resource, kind, namespaced: true, verbs: [], preferred: version === 'v1' }
}
const SERVED = [
  served('hb.io', 'v1', 'owners', 'Owner'),
  served('hb.io', 'v2', 'owners', 'Owner'),
  served('batch', 'v1', 'jobs', 'Job'),
  served('apps', 'v1', 'statefulsets', 'StatefulSet'),
]
const LISTED: Readonly<Record<string, readonly object[]>> = {
  '/apis/hb.io/v1': [{ name: 'owners' }, { name: 'owners/scale' }],
  '/apis/batch/v1': [{ name: 'jobs' }, { name: 'jobs/status' }],
}

const deps = {
  catalogue: {
    ofKind: async (group: string, kind: string, version = 'v1') =>
      SERVED.find((e) => e.group === group && e.kind === kind && e.version === version),
  },
  informers: {
    peek: ({ resource }: CatalogueEntry) =>
      resource === 'statefulsets' || resource === 'owners'
        ? { get: () => ({ metadata: { name: 'here', uid: 'u' }, spec: { replicas: 3 } }) }
        : undefined,
  },
  client: {
    get: async ({ group, resource, name = '' }: Target) => {
      if (name === 'secret') throw forbiddenStatus({ group, resource }, name, 'no')
      if (name !== 'here') throw notFound({ group, resource }, name)
      return { metadata: { name, uid: 'u' }, spec: { replicas: 5 } }
    },
    page: async (path: string) => ({ value: { resources: LISTED[path] ?? [] } }),
  } as unknown as Client,
} as unknown as Parameters<typeof scaleOf>[0]

for (const [what, apiVersion, kind, name, uid, expected] of [
  ['is that of its scale', 'hb.io/v1', 'Owner', 'here', 'u', 5],
  ['is found in every version that is served', 'hb.io/v2', 'Owner', 'here', 'u', 5],
  ['is not found in a version that is not', 'hb.io/v7', 'Owner', 'here', 'u', 'no matches for kind "Owner" in version "hb.io/v7"'],
  ['is that of the local copy, whatever the version', 'apps/v1beta1', 'StatefulSet', 'here', 'u', 3],
  ['is not that of another object of the name', 'hb.io/v1', 'Owner', 'here', 'other', undefined],
  ['is missing with its object', 'hb.io/v1', 'Owner', 'gone', 'u', undefined],
  ['fails for a kind without a scale', 'batch/v1', 'Job', 'gone', 'u', 'jobs.batch does not implement the scale subresource'],
  ['fails for a kind that is not served', 'no.io/v1', 'Nope', 'n', 'u', 'no matches for kind "Nope" in version "no.io/v1"'],
  ['fails as the server says', 'hb.io/v1', 'Owner', 'secret', 'u', 'owners.hb.io "secret" is forbidden: no'],
] as const)
  test(`the size of a controller ${what}`, async () => {
    const found = scaleOf(deps, 'default', { apiVersion, kind, name, uid })
    assert.equal(await found.catch((error: Error) => error.message), expected)
  })
