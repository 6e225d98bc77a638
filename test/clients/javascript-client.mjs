/** What `javascript-client.test.ts` runs, with the client's folder as its argument: says one word for each thing that worked. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'

const client = pathToFileURL(path.join(process.argv[2], 'dist', 'index.js')).href
const { ApiException, CoreV1Api, KubeConfig, Log, makeInformer, PatchStrategy, setHeaderOptions, Watch } = await import(client)

const config = new KubeConfig()
config.loadFromDefault()
const core = config.makeApiClient(CoreV1Api)
const namespace = 'default'
const pod = (name) => ({
  metadata: { name, labels: { app: 'javascript' } },
  spec: { containers: [{ name: 'main', image: 'app', command: ['sh', '-c', 'echo hello; sleep 3600'] }] },
})

const made = await core.createNamespacedPod({ namespace, body: pod('one') })
assert.ok(made.metadata?.creationTimestamp instanceof Date)
console.log('created')

const { items } = await core.listNamespacedPod({ namespace, labelSelector: 'app=javascript', limit: 10 })
assert.deepEqual(
  items.map((p) => p.metadata?.name),
  ['one'],
)
console.log('listed')

const annotation = [{ op: 'add', path: '/metadata/annotations', value: { a: 'b' } }]
await core.patchNamespacedPod({ name: 'one', namespace, body: annotation }, setHeaderOptions('Content-Type', PatchStrategy.JsonPatch))
const merge = { metadata: { annotations: { c: 'd' } } }
const patched = await core.patchNamespacedPod(
  { name: 'one', namespace, body: merge },
  setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
)
assert.deepEqual(patched.metadata?.annotations, { a: 'b', c: 'd' })
console.log('patched')

const running = Promise.withResolvers()
const options = { resourceVersion: made.metadata.resourceVersion, allowWatchBookmarks: true }
const onEvent = (_, seen) => (seen.status?.phase === 'Running' ? running.resolve() : undefined)
const watch = await new Watch(config).watch(`/api/v1/namespaces/${namespace}/pods`, options, onEvent, () => {})
await running.promise
watch.abort()
console.log('watched')

const heard = []
const deleted = Promise.withResolvers()
const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/pods`, () => core.listNamespacedPod({ namespace }))
const added = Promise.withResolvers()
informer.on('add', (seen) => {
  heard.push(`+${seen.metadata?.name}`)
  if (seen.metadata?.name === 'two') added.resolve()
})
informer.on('delete', (seen) => {
  heard.push(`-${seen.metadata?.name}`)
  deleted.resolve()
})
await informer.start()
await core.createNamespacedPod({ namespace, body: pod('two') })
await added.promise
await core.deleteNamespacedPod({ name: 'two', namespace, gracePeriodSeconds: 0 })
await deleted.promise
await informer.stop()
assert.deepEqual(heard, ['+one', '+two', '-two'])
console.log('followed')

const log = new PassThrough()
await new Log(config).log(namespace, 'one', 'main', log, { follow: false })
const [text] = await once(log, 'data')
assert.equal(String(text), 'hello\n')
console.log('logged')

await assert.rejects(core.readNamespacedPod({ name: 'none', namespace }), (e) => e instanceof ApiException && e.code === 404)
console.log('refused')

await core.deleteCollectionNamespacedPod({ namespace, gracePeriodSeconds: 0 })
assert.deepEqual((await core.listNamespacedPod({ namespace })).items, [])
console.log('deleted')
process.exit()
