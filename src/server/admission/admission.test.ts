import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionRequest } from '../../apiserver/admission/plugin.ts'
import { createResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import { watchCacheDouble } from '../../apiserver/cache/watch-cache.double.ts'
import { mastersAuthorizer } from '../../apiserver/identity/union-authorizer.ts'
import type { TypedKey } from '../../apiserver/store/own-write.ts'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import { cloneJson, type Draft, type KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { readObject } from '../../resources/read-objects.ts'
import { RESOURCE_QUOTAS } from '../../resources/refs.ts'
import type { Pod, ServiceAccount } from '../../resources/types/core.ts'
import { createRbacPolicy } from '../auth/rbac/rbac-policy.ts'
import type { AdmissionDeps } from './admission-deps.ts'
import { createAdmission } from './create-admission.ts'
import { enabledPlugins } from './plugin-order.ts'
import { PLUGIN_DEFAULTS } from './settings.ts'

const anyone: UserInfo = { name: 'u', groups: ['system:authenticated'] }

/** A namespace `ns` with its account `default`, and all plugins. */
function setUp(enable: string[] = [], seed = 1) {
  const watchCache = watchCacheDouble()
  const clock = new VirtualClock()
  watchCache.put('', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } })
  watchCache.put('', 'serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'ns' } })
  const change: AdmissionDeps['change'] = async <T extends KubeObject>(key: TypedKey<T>, edit: (draft: Draft<T>) => void) => {
    const draft = cloneJson(watchCache.reader.get(key.group, key.resource, key.namespace, key.name) as T)
    edit(draft)
    const changed = draft as T
    watchCache.put(key.group, key.resource, changed)
    return changed
  }
  const deps = {
    clock,
    random: seededRandom(seed),
    reader: watchCache.reader,
    authorizer: mastersAuthorizer,
    policy: createRbacPolicy(watchCache),
    definitions: createResourceRegistry(builtinResources()),
    change,
    createNamespace: async () => {},
  }
  const plugins = createAdmission({ plugins: enabledPlugins(enable, []), settings: PLUGIN_DEFAULTS }, deps)
  const admit = async (
    given: Partial<AdmissionRequest> & { readonly resource: AdmissionRequest['resource'] },
  ): Promise<KubeObject | undefined> => {
    const request: AdmissionRequest = {
      operation: 'CREATE',
      kind: { group: given.resource.group, version: 'v1', kind: given.object?.kind ?? '' },
      subresource: '',
      namespace: 'ns',
      name: given.object?.metadata.name ?? '',
      user: anyone,
      dryRun: false,
      object: undefined,
      oldObject: undefined,
      options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions', metadata: {} },
      warn: () => {},
      requireReinvocation: () => {},
      annotate: () => {},
      ...given,
    }
    for (const plugin of plugins) if (plugin.handles(request)) await plugin.mutate?.(request)
    for (const plugin of plugins) if (plugin.handles(request)) await plugin.validate?.(request)
    return request.object
  }
  const pod = async (spec: object = {}, metadata: object = {}) => {
    const object: Draft<Pod> = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'ns', ...metadata },
      spec: { containers: [{ name: 'c' }], ...spec },
    }
    await admit({ resource: { group: '', version: 'v1', resource: 'pods' }, object })
    return object
  }
  return { watchCache, clock, admit, pod }
}

const said = async (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (e) => (isStatus(e) ? e.message.replace(/^\S+ "\S+" is forbidden: /, '') : String(e)),
  )

test('a plain pod gets an identity, tolerations and a priority', async () => {
  const made = await setUp().pod()
  assert.equal(made.spec.serviceAccountName, 'default')
  assert.match(made.spec.volumes?.[0]?.name ?? '', /^kube-api-access-/)
  assert.deepEqual(
    made.spec.tolerations?.map((t) => `${t.key} ${t.tolerationSeconds}`),
    ['node.kubernetes.io/not-ready 300', 'node.kubernetes.io/unreachable 300'],
  )
  assert.deepEqual([made.spec.priority, made.spec.preemptionPolicy], [0, 'PreemptLowerPriority'])
})

test('the token volume has one name for all pods of a server, and that of a pod that brings its own', async () => {
  const { pod } = setUp()
  const nameOf = (made: Pod) => (made.spec.volumes ?? []).map((v) => v.name).join()
  const first = nameOf(await pod())
  assert.match(first, /^kube-api-access-[a-z0-9]{5}$/)
  assert.equal(nameOf(await pod()), first)
  assert.equal(nameOf(await pod({ volumes: [{ name: 'kube-api-access-mine1', emptyDir: {} }] })), 'kube-api-access-mine1')
  assert.notEqual(nameOf(await setUp([], 2).pod()), first)
})

test('a pod waits for the account that its new namespace is about to get, and no longer than a second', async () => {
  const { watchCache, clock, pod } = setUp()
  watchCache.remove('', 'serviceaccounts', 'default', 'ns')
  const early = said(pod())
  await clock.advance(100)
  watchCache.put('', 'serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'ns' } })
  await clock.advance(100)
  assert.equal(await early, 'ok')
  watchCache.remove('', 'serviceaccounts', 'default', 'ns')
  const late = said(pod())
  await clock.advance(2000)
  assert.equal(await late, 'error looking up service account ns/default: serviceaccount "default" not found')
})

test('an account that enforces its secrets is asked before later plugins, and about empty names, too', async () => {
  const { watchCache, admit, pod } = setUp()
  const enforces = { name: 'strict', namespace: 'ns', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } }
  const secrets = [{ name: 'mine' }]
  const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: enforces, secrets, imagePullSecrets: secrets }
  watchCache.put('', 'serviceaccounts', account)
  const uses = (name?: string) => ({ name: 'c', env: [{ name: 'E', valueFrom: { secretKeyRef: { ...(name && { name }), key: 'k' } } }] })
  const said = async (spec: object) =>
    pod({ serviceAccountName: 'strict', ...spec }).then(
      () => 'ok',
      (e: Error) => e.message.split(' is not allowed because service account strict ')[0],
    )
  assert.equal(await said({ containers: [uses('mine')] }), 'ok')
  const refused = 'pods "p" is forbidden: container c with envVar E referencing secret.secretName='
  assert.equal(await said({ containers: [uses('other')], priorityClassName: 'none' }), `${refused}"other"`)
  assert.equal(await said({ containers: [uses()] }), `${refused}""`)
  assert.equal(await said({ imagePullSecrets: [{ name: 'x' }] }), 'pods "p" is forbidden: imagePullSecrets[0].name="x"')
  const late: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { serviceAccountName: 'strict', containers: [], ephemeralContainers: [uses('other')] },
  }
  const update = {
    operation: 'UPDATE',
    resource: { group: '', version: 'v1', resource: 'pods' },
    subresource: 'ephemeralcontainers',
  } as const
  await assert.rejects(admit({ ...update, object: cloneJson(late), oldObject: late }), (e: unknown) => isStatus(e) && e.status.code === 500)
})

test('nothing is made where nothing can live', async () => {
  const { watchCache, admit, pod } = setUp()
  const configMaps = { group: '', version: 'v1', resource: 'configmaps' }
  assert.equal(await said(admit({ resource: configMaps, namespace: 'none' })), 'namespaces "none" not found')
  watchCache.put('', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns', deletionTimestamp: 'now' } })
  assert.equal(await said(pod()), 'unable to create new content in namespace ns because it is being terminated')
  const remove = (name: string) =>
    admit({ operation: 'DELETE', resource: { group: '', version: 'v1', resource: 'namespaces' }, namespace: name, name })
  assert.deepEqual([await said(remove('default')), await said(remove('mine'))], ['this namespace may not be deleted', 'ok'])
})

const limit = (limits: object) => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'l', namespace: 'ns' },
  spec: { limits: [limits] },
})
const limitCases: readonly (readonly [string, object, object, string])[] = [
  [
    'too little',
    { type: 'Container', min: { cpu: '100m' } },
    { requests: { cpu: '50m' } },
    'minimum cpu usage per Container is 100m, but request is 50m',
  ],
  [
    'too much',
    { type: 'Container', max: { memory: '2Gi' } },
    { limits: { memory: '4Gi' } },
    'maximum memory usage per Container is 2Gi, but limit is 4Gi',
  ],
  ['the same in another unit', { type: 'Container', max: { memory: '1Gi' } }, { limits: { memory: '1024Mi' } }, 'ok'],
  ['nothing said', { type: 'Pod', max: { cpu: '2' } }, {}, 'maximum cpu usage per Pod is 2.  No limit is specified'],
  [
    'too uneven',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    { requests: { cpu: '100m' }, limits: { cpu: '2' } },
    'cpu max limit to request ratio per Container is 2, but provided ratio is 20.000000',
  ],
]
for (const [name, limits, resources, expected] of limitCases) {
  test(`limit range: ${name}`, async () => {
    const { watchCache, pod } = setUp()
    watchCache.put('', 'limitranges', limit(limits))
    assert.equal(await said(pod({ containers: [{ name: 'c', resources }] })), expected)
  })
}

test('a quota is charged for what is made, and never beyond its limit', async () => {
  const { watchCache, pod } = setUp()
  watchCache.put('', 'resourcequotas', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'ns' },
    status: { hard: { pods: '2', 'requests.cpu': '1' }, used: { pods: '0', 'requests.cpu': '0' } },
  })
  const cpu = (amount: string) => pod({ containers: [{ name: 'c', resources: { requests: { cpu: amount } } }] })
  assert.equal(await said(pod()), 'failed quota: q: must specify requests.cpu for: c')
  assert.equal(await said(cpu('800m')), 'ok')
  assert.equal(await said(cpu('300m')), 'exceeded quota: q, requested: requests.cpu=300m, used: requests.cpu=800m, limited: requests.cpu=1')
  assert.equal(await said(cpu('200m')), 'ok')
  assert.deepEqual(readObject(watchCache.reader, RESOURCE_QUOTAS, 'ns', 'q')?.status?.used, { pods: '2', 'requests.cpu': '1' })
  assert.equal(await said(cpu('0')), 'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2')
})

test('NodeRestriction, where it is switched on, keeps a node to itself', async () => {
  const { admit } = setUp(['NodeRestriction'])
  const user: UserInfo = { name: 'system:node:n', groups: ['system:nodes'] }
  const node = (name: string, labels: Record<string, string>) =>
    admit({
      user,
      namespace: '',
      resource: { group: '', version: 'v1', resource: 'nodes' },
      object: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} },
    })
  assert.equal(await said(node('other', {})), 'node "n" is not allowed to modify node "other"')
  assert.equal(
    await said(node('n', { 'node-restriction.kubernetes.io/x': '1' })),
    'node "n" is not allowed to set the following labels: node-restriction.kubernetes.io/x',
  )
  assert.equal(await said(node('n', { 'kubernetes.io/os': 'linux', mine: 'x' })), 'ok')
})

test('NodeRestriction: of a node, the source of its configuration, taints, owners and labels are judged in this order', async () => {
  const { admit } = setUp(['NodeRestriction'])
  const user: UserInfo = { name: 'system:node:n', groups: ['system:nodes'] }
  const node = (spec: object, metadata: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', ...metadata },
    spec,
  })
  const update = (object: KubeObject) =>
    said(admit({ user, operation: 'UPDATE', resource: { group: '', version: 'v1', resource: 'nodes' }, object, oldObject: node({}) }))
  const taints = [{ key: 'a', effect: 'NoSchedule' }]
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u' }]
  const labels = { 'k8s.io/a': 'b' }
  assert.equal(
    await update(node({ configSource: {}, taints }, { ownerReferences, labels })),
    'node "n" is not allowed to update configSource to a new non-nil configSource',
  )
  assert.equal(await update(node({ taints }, { ownerReferences, labels })), 'node "n" is not allowed to modify taints')
  assert.equal(await update(node({}, { ownerReferences, labels })), 'node "n" is not allowed to modify ownerReferences')
  assert.equal(await update(node({}, { labels })), 'is not allowed to modify labels: k8s.io/a')
})

test('NodeRestriction judges before anything is validated, and lets nodes connect to pods', async () => {
  const { admit, watchCache } = setUp(['NodeRestriction', 'LimitPodHardAntiAffinityTopology'])
  const user: UserInfo = { name: 'system:node:n', groups: ['system:nodes'] }
  watchCache.put('', 'pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'ns' }, spec: { nodeName: 'm' } })
  const pods = { group: '', version: 'v1', resource: 'pods' }
  const evict = (name: string) => said(admit({ user, resource: pods, subresource: 'eviction', name }))
  assert.equal(await evict('p'), 'node n can only evict pods with spec.nodeName set to itself')
  assert.equal(await evict('gone'), 'pod "gone" not found')
  const apart = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] }
  const object: Draft<Pod> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'q' },
    spec: { containers: [], affinity: { podAntiAffinity: apart } },
  }
  assert.match(await said(admit({ user, resource: pods, object })), /node "n" can only create mirror pods$/)
  assert.equal(await said(admit({ user, operation: 'CONNECT', resource: pods, subresource: 'exec', name: 'p' })), 'ok')
})

test('NodeRestriction: tokens are for pods of the node, and for the audiences of their volumes', async () => {
  const { admit, watchCache } = setUp(['NodeRestriction'])
  const user: UserInfo = { name: 'system:node:n', groups: ['system:nodes'] }
  const volumes = [
    {
      name: 't',
      projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }, { serviceAccountToken: { path: 'd' } }] },
    },
    { name: 'c', persistentVolumeClaim: { claimName: 'data' } },
  ]
  const pod = (name: string, nodeName: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'ns', uid: `${name}-uid` },
    spec: { nodeName, volumes },
  })
  for (const one of [pod('mine', 'n'), pod('theirs', 'm')]) watchCache.put('', 'pods', one)
  const bare = { apiVersion: 'v1', kind: 'x' }
  watchCache.put('', 'persistentvolumeclaims', { ...bare, metadata: { name: 'data', namespace: 'ns' }, spec: { volumeName: 'pv' } })
  watchCache.put('', 'persistentvolumes', { ...bare, metadata: { name: 'pv' }, spec: { csi: { driver: 'd.example.com' } } })
  const driver = { ...bare, metadata: { name: 'd.example.com' }, spec: { tokenRequests: [{ audience: 'store' }] } }
  watchCache.put('storage.k8s.io', 'csidrivers', driver)
  const token = (boundObjectRef: object | undefined, ...audiences: string[]) =>
    said(
      admit({
        user,
        resource: { group: '', version: 'v1', resource: 'serviceaccounts' },
        subresource: 'token',
        name: 'default',
        object: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { boundObjectRef, audiences } },
      }),
    )
  const ref = (name: string, uid = `${name}-uid`) => ({ apiVersion: 'v1', kind: 'Pod', name, uid })
  for (const [bound, audiences, expected] of [
    [ref('mine'), [], 'ok'],
    [ref('mine'), ['vault'], 'ok'],
    [ref('mine'), ['store'], 'ok'],
    [ref('mine'), ['vault', 'store'], 'node may only request 0 or 1 audiences'],
    [ref('mine'), ['x'], 'audience "x" not found in pod spec volume, system:node:n is not authorized to request tokens for this audience'],
    [undefined, [], 'node requested token not bound to a pod'],
    [{ ...ref('mine'), kind: 'Secret' }, [], 'node requested token not bound to a pod'],
    [ref('mine', ''), [], 'node requested token with a pod binding without a uid'],
    [
      ref('mine', 'old'),
      [],
      'the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [ref('theirs'), [], 'node requested token bound to a pod scheduled on a different node'],
  ] as const)
    assert.equal(await token(bound, ...audiences), expected)
})

test('NodeRestriction: a claim’s size, no claims of a pod, and no mirror that needs the API', async () => {
  const { admit, watchCache } = setUp(['NodeRestriction'])
  const user: UserInfo = { name: 'system:node:n', groups: ['system:nodes'] }
  watchCache.put('', 'nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'node-uid' } })
  const claim = (labels: Record<string, string>, status: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'ns', labels },
    spec: {},
    status,
  })
  const update = (resource: string, before: KubeObject, after: KubeObject, subresource = 'status') =>
    said(
      admit({ user, operation: 'UPDATE', resource: { group: '', version: 'v1', resource }, subresource, object: after, oldObject: before }),
    )
  const larger = claim({}, { phase: 'Bound', capacity: { storage: '2Gi' }, allocatedResources: { storage: '2Gi' } })
  const before = claim({}, { phase: 'Bound', capacity: { storage: '1Gi' } })
  const others = 'node "n" is not allowed to update fields other than status.quantity and status.conditions'
  assert.equal(await update('persistentvolumeclaims', before, larger), 'ok')
  assert.equal(await update('persistentvolumeclaims', before, claim({ a: 'b' }, before.status ?? {})), others)
  assert.equal(await update('persistentvolumeclaims', before, claim({}, { phase: 'Lost' })), others)
  assert.equal(await update('persistentvolumeclaims', before, larger, ''), 'may only update PVC status')

  const pod = (spec: object, status: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      namespace: 'ns',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'node-uid', controller: true }],
    },
    spec: { nodeName: 'n', containers: [], ...spec },
    status,
  })
  const claimed = [{ name: 'r', resourceClaimName: 'x' }]
  assert.equal(await update('pods', pod({}), pod({}, { phase: 'Running' })), 'ok')
  assert.equal(await update('pods', pod({}), pod({}, { resourceClaimStatuses: claimed })), 'node "n" cannot update resource claim statues')
  const mirror = (spec: object) => said(admit({ user, resource: { group: '', version: 'v1', resource: 'pods' }, object: pod(spec) }))
  const volumes = (source: object) => ({ volumes: [{ name: 'v', ...source }] })
  assert.equal(await mirror(volumes({ hostPath: { path: '/x' } })), 'ok')
  assert.equal(await mirror({ imagePullSecrets: [{ name: 's' }] }), 'a mirror pod may not reference secrets')
  assert.equal(await mirror(volumes({ configMap: { name: 'c' } })), 'node "n" can not create pods that reference configmaps')
})
