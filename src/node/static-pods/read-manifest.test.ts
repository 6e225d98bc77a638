import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dump } from 'js-yaml'
import { ManifestError, readStaticPod, readStaticPods } from './read-manifest.ts'

const origin = { kind: 'file', source: '/etc/kubernetes/manifests/web.yaml', node: 'node-1' } as const
const manifest = (metadata: object = {}, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...metadata },
  spec: { containers: [{ name: 'main', image: 'app' }], ...spec },
})
const read = (object: object, from: Parameters<typeof readStaticPod>[1] = origin) => readStaticPod(JSON.stringify(object), from)
const fault = (text: string) => {
  try {
    readStaticPods(text, origin)
  } catch (error) {
    if (error instanceof ManifestError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'taken'
}

test('a pod is named after its node, bound to it, in the default namespace, and its UID is a hash of its content and source', () => {
  const pod = read(manifest())
  assert.equal(pod.metadata.name, 'web-node-1')
  assert.equal(pod.metadata.namespace, 'default')
  assert.equal(pod.spec.nodeName, 'node-1')
  assert.match(pod.metadata.uid ?? '', /^[0-9a-f]{32}$/)
  assert.equal(pod.metadata.annotations?.['kubernetes.io/config.hash'], pod.metadata.uid)
  assert.deepEqual(pod.status, { phase: 'Pending' })
  assert.equal(read(manifest()).metadata.uid, pod.metadata.uid)
  const others = [
    read(manifest({ labels: { a: 'b' } })),
    read(manifest({}, { restartPolicy: 'Never' })),
    read(manifest(), { ...origin, source: '/etc/kubernetes/manifests/other.yaml' }),
    read(manifest(), { ...origin, node: 'node-2' }),
  ]
  assert.equal(new Set([pod, ...others].map((p) => p.metadata.uid)).size, 5)
})

test('a UID in the manifest is kept', () => {
  const pod = read(manifest({ uid: 'my-own' }))
  assert.deepEqual([pod.metadata.uid, pod.metadata.annotations?.['kubernetes.io/config.hash']], ['my-own', 'my-own'])
})

test('defaults are filled in; a pod of a file outlives every taint, one of a URL does not', () => {
  const pod = read(manifest({}, { tolerations: [{ key: 'a', operator: 'Exists' }] }))
  assert.equal(pod.spec.restartPolicy, 'Always')
  assert.equal(pod.spec.containers[0]?.imagePullPolicy, 'Always')
  assert.deepEqual(pod.spec.tolerations, [
    { key: 'a', operator: 'Exists' },
    { operator: 'Exists', effect: 'NoExecute' },
  ])
  assert.equal(read(manifest(), { kind: 'http', source: 'http://x/', node: 'n' }).spec.tolerations, undefined)
})

test('YAML means what the same JSON means, and of several documents the first counts', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b.c/d', 'e'), fc.constantFrom('', 'x', '1', 'true')),
      fc.constantFrom('Always', 'OnFailure', 'Never'),
      fc.array(fc.constantFrom('sleep', '1', '- x', '#', ': y', '"'), { maxLength: 4 }),
      (labels, restartPolicy, args) => {
        const object = manifest({ labels }, { restartPolicy, containers: [{ name: 'main', image: 'app', args }] })
        const text = `${dump(object)}---\n${dump(manifest({ name: 'another' }))}`
        assert.deepEqual(readStaticPod(text, origin), read(object))
      },
    ),
    { numRuns: 50 },
  )
})

test('an invalid manifest is refused with the reason', () => {
  const table: readonly [string, string][] = [
    ['{"kind": "Pod", "apiVersion": "v1", "metadata": {}', 'unreadable: '],
    ['', 'not-a-pod: a manifest holds a Pod of v1: this is no object'],
    [JSON.stringify({ apiVersion: 'v1', kind: 'Service' }), 'not-a-pod: a manifest holds a Pod of v1: this is "Service" of "v1"'],
    [JSON.stringify(manifest({ name: '' })), 'invalid: invalid pod: name is needed for the pod'],
    [JSON.stringify(manifest({ name: 'Bad_Name' })), 'invalid: invalid pod: metadata.name: '],
    [JSON.stringify(manifest({}, { containers: [] })), 'invalid: invalid pod: spec.containers: '],
    [JSON.stringify(manifest({}, { containers: 'many' })), 'not-a-pod: '],
  ]
  for (const [text, start] of table) assert.ok(fault(text).startsWith(start), `${text}: ${fault(text)}`)
})

test('a list of pods is taken where one is allowed, and all of it or nothing', () => {
  const list = (...items: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items })
  const names = readStaticPods(list(manifest(), manifest({ name: 'b' })), origin).map((p) => p.metadata.name)
  assert.deepEqual(names, ['web-node-1', 'b-node-1'])
  assert.deepEqual(readStaticPods(list(), origin), [])
  assert.match(fault(list(manifest(), manifest({ name: '' }))), /name is needed/)
})

test('a static pod refers to nothing of the API', () => {
  const container = (more: object) => ({ containers: [{ name: 'main', image: 'app', ...more }] })
  const volume = (source: object) => ({ volumes: [{ name: 'v', ...source }] })
  const refused: readonly [object, string][] = [
    [{ serviceAccountName: 'a' }, 'serviceaccounts'],
    [{ imagePullSecrets: [{ name: 's' }] }, 'secrets'],
    [container({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }), 'secrets'],
    [container({ envFrom: [{ secretRef: { name: 's' } }] }), 'secrets'],
    [{ initContainers: [{ name: 'i', image: 'app', envFrom: [{ secretRef: { name: 's' } }] }] }, 'secrets'],
    [volume({ secret: { secretName: 's' } }), 'secrets'],
    [container({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 's', key: 'k' } } }] }), 'configmaps'],
    [container({ envFrom: [{ configMapRef: { name: 's' } }] }), 'configmaps'],
    [volume({ configMap: { name: 's' } }), 'configmaps'],
    [volume({ projected: { sources: [{ configMap: { name: 's' } }] } }), 'configmaps'],
    [{ resourceClaims: [{ name: 'r', resourceClaimName: 'x' }] }, 'resourceclaims'],
    [volume({ persistentVolumeClaim: { claimName: 'c' } }), 'persistentvolumeclaims'],
    [volume({ csi: { driver: 'd.example.com' } }), 'csidrivers (via CSI volumes)'],
    [
      volume({
        ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } },
      }),
      'persistentvolumeclaims (via ephemeral volumes)',
    ],
    [volume({ projected: { sources: [{ clusterTrustBundle: { name: 't', path: 'p' } }] } }), 'clustertrustbundles'],
  ]
  for (const [spec, what] of refused)
    assert.equal(fault(JSON.stringify(manifest({}, spec))), `invalid: static pods may not reference ${what}`)
  const free = [
    volume({ emptyDir: {} }),
    volume({ hostPath: { path: '/a' } }),
    volume({ projected: { sources: [{ downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } }] } }),
    container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
    container({ securityContext: { privileged: true } }),
  ]
  for (const spec of free) assert.equal(fault(JSON.stringify(manifest({}, spec))), 'taken')
})
