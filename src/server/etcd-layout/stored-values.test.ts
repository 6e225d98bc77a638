import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeObject } from '../../apiserver/cache/object-bytes.ts'
import { asKubeObject } from '../../machinery/object.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { kubernetesKinds } from '../kubernetes-kinds.ts'
import { createStoredValues } from './stored-values.ts'

const values = (mediaType: 'application/vnd.kubernetes.protobuf' | 'application/json') =>
  createStoredValues({ kinds: kubernetesKinds, definitions: builtinResources(), mediaType })

const META = { name: 'a', namespace: 'default', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '' }
const OBJECTS = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...META, labels: { b: '2', a: '1' } }, data: { b: 'x', a: 'y', 10: 'z' } },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...META, generation: undefined },
    spec: {
      containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1' } }, command: undefined }],
      terminationGracePeriodSeconds: 0,
    },
    status: { phase: 'Pending', conditions: undefined },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: META,
    spec: { replicas: 2 ** 31 - 1, strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } } },
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: META,
    spec: { renewTime: '2026-01-01T00:00:00.123456Z', leaseTransitions: 1 },
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: META,
    spec: { group: 'x.y', version: 'v1', service: undefined },
  },
]

for (const mediaType of ['application/vnd.kubernetes.protobuf', 'application/json'] as const)
  for (const source of OBJECTS)
    test(`${mediaType}: the bytes of a ${source.kind} are the same, with its object at hand and without`, () => {
      const json = encodeObject(asKubeObject(source))
      const { encode } = values(mediaType)
      assert.deepEqual(encode(json, source), encode(json))
    })

test('a source is not changed, and its revision not stored', () => {
  const source = { ...OBJECTS[0], metadata: { ...META, resourceVersion: '17' } }
  const { encode } = values('application/vnd.kubernetes.protobuf')
  const bytes = encode(encodeObject(asKubeObject(source)), source)
  assert.equal(bytes.includes('17'), false)
  assert.equal(source.metadata.resourceVersion, '17')
})
