/**
 * A small operator, written over the client: each gadget has a config map and a secret, and its status. `FAULT` injects typical faults of
 * operators, separated by commas.
 */

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { keepAlive, systemClock } from '../../../src/base/clock.ts'
import type { ResourceRef } from '../../../src/machinery/api-call.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { isStatus } from '../../../src/machinery/status-error.ts'
import { CONFIG_MAPS, SECRETS } from '../../../src/resources/refs.ts'
import { connect } from '../../../src/sdk/client/connect.ts'
import { runController } from '../../../src/sdk/controller/run-controller.ts'
import { WorkQueue } from '../../../src/sdk/controller/work-queue.ts'
import { createInformer } from '../../../src/sdk/informer/create-informer.ts'
import type { Informer } from '../../../src/sdk/informer/informer.ts'
import { objectKey, splitKey } from '../../../src/sdk/informer/object-key.ts'
import { createWebhookServer } from '../../../src/sdk/webhook/webhook-server.ts'

const GADGETS = { group: 'example.com', version: 'v1', resource: 'gadgets' }
const faults = new Set((process.env.FAULT ?? '').split(','))
/** Not a fault: does correctly what some faults do wrong. */
const careful = faults.has('careful')

const stop = new AbortController()
if (!faults.has('deaf')) process.once('SIGTERM', () => stop.abort())
else process.on('SIGTERM', () => {})

keepAlive()
const { client } = await connect()
const gadgets = createInformer<KubeObject<unknown, { made?: boolean }>>({ client, target: GADGETS })
const maps = createInformer({ client, target: CONFIG_MAPS, labelSelector: 'gadget' })
const secrets = createInformer({ client, target: SECRETS, labelSelector: 'gadget' })
const queue = new WorkQueue({ maxMs: 500 })
const byOwner = (object: Readonly<KubeObject>) => queue.add(`${object.metadata.namespace}/${object.metadata.labels?.gadget}`)
gadgets.addHandler({ added: (g) => queue.add(objectKey(g)), updated: (g) => queue.add(objectKey(g)) })
if (!faults.has('blind'))
  for (const informer of [maps, secrets])
    informer.addHandler({ added: byOwner, updated: byOwner, deleted: (object) => faults.has('watches once') || byOwner(object) })

async function make(kind: 'ConfigMap' | 'Secret', target: ResourceRef, gadget: Readonly<KubeObject>): Promise<void> {
  const { name = '', namespace = '', uid = '' } = gadget.metadata
  const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Gadget', name, uid, controller: true }]
  const named = faults.has('twice') ? { generateName: `${name}-` } : { name }
  const metadata = { ...named, labels: { gadget: name }, ...(faults.has('leaves') ? {} : { ownerReferences }) }
  const create = () => client.create({ ...target, namespace }, { apiVersion: 'v1', kind, metadata })
  try {
    await create()
    if (faults.has('twice') && !(await isSeenSoon(kind, namespace, name))) await create()
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
  }
}

/** Late events come after 400 ms. */
const SOON_MS = 300

/** The fault: whether something was made is looked up in the cache. */
async function isSeenSoon(kind: 'ConfigMap' | 'Secret', namespace: string, name: string): Promise<boolean> {
  await systemClock.sleep(SOON_MS)
  return find(kind === 'Secret' ? secrets : maps, namespace, name) !== undefined
}

/** A slow API server takes 1.5 seconds; a busy machine must not look like one. */
const IMPATIENT_MS = 1300

/** Gadgets that the operator has given up. */
const failed = new Set<string>()

/** Writes the errors of its last step. */
async function writeStatus(key: string, target: Parameters<typeof client.patch>[0]): Promise<void> {
  const hurry = faults.has('impatient') ? { signal: AbortSignal.timeout(IMPATIENT_MS) } : {}
  const gadget = gadgets.get(key)
  const write =
    faults.has('gives up') && gadget !== undefined
      ? client.update(target, { ...gadget, status: { made: true } }, hurry)
      : client.patch(target, 'merge', { status: { made: true } }, hurry)
  await write.catch((error: unknown) => {
    if (isStatus(error, 'Conflict') ? faults.has('gives up') : faults.has('swallows')) failed.add(key)
    if (faults.has('impatient') && hurry.signal?.aborted) failed.add(key)
    if (!failed.has(key)) throw error
  })
}

const find = (informer: Pick<Informer<KubeObject>, 'list'>, namespace: string, name: string) =>
  informer.list().find(({ metadata }) => metadata.namespace === namespace && metadata.labels?.gadget === name)

/** The first version of each gadget. */
const firstSeen = new Map<string, Readonly<KubeObject>>()

/** Sets a label on the gadget by a full update; with the fault `stale`, an old copy with the current resource version. */
async function label(gadget: Readonly<KubeObject>): Promise<void> {
  const { namespace = '', name = '' } = gadget.metadata
  const place = { ...GADGETS, namespace, name }
  const known = firstSeen.get(objectKey(gadget)) ?? gadget
  firstSeen.set(objectKey(gadget), known)
  const resourceVersion = faults.has('stale') ? (await client.get(place)).metadata.resourceVersion : gadget.metadata.resourceVersion
  const copy = faults.has('stale') ? known : gadget
  const metadata = { ...copy.metadata, labels: { ...copy.metadata.labels, seen: 'yes' }, ...(resourceVersion && { resourceVersion }) }
  await client.update(place, { ...copy, metadata })
}

const FINALIZER = 'example.com/gadgets'

/** Keeps the gadget until its objects are deleted; with the fault, for ever. */
async function finalize(gadget: Readonly<KubeObject>): Promise<void> {
  const { namespace = '', name = '', finalizers = [] } = gadget.metadata
  if (faults.has('keeps') || !finalizers.includes(FINALIZER)) return
  await client.patch({ ...GADGETS, namespace, name }, 'merge', { metadata: { finalizers: finalizers.filter((f) => f !== FINALIZER) } })
}

const reconcile = async (key: string) => {
  const gadget = gadgets.get(key)
  if (gadget?.metadata.deletionTimestamp !== undefined) return finalize(gadget)
  if (gadget !== undefined && (faults.has('keeps') || careful) && !gadget.metadata.finalizers?.includes(FINALIZER)) {
    const { namespace = '', name = '', finalizers = [] } = gadget.metadata
    await client.patch({ ...GADGETS, namespace, name }, 'merge', { metadata: { finalizers: [...finalizers, FINALIZER] } })
  }
  if (gadget !== undefined && (faults.has('stale') || careful) && gadget.metadata.labels?.seen !== 'yes') return label(gadget)
  if (gadget === undefined || gadget.metadata.deletionTimestamp !== undefined || failed.has(key)) return
  const { namespace = '', name } = splitKey(key)
  const target = { ...GADGETS, namespace, name, subresource: 'status' }
  const map = find(maps, namespace, name)
  if (map === undefined) await make('ConfigMap', CONFIG_MAPS, gadget)
  // The fault: objects that seem old by the cluster's clock are recreated again and again.
  else if (faults.has('skewed') && Math.abs(systemClock.now() - Date.parse(map.metadata.creationTimestamp ?? '')) > 3_600_000)
    await client.delete({ ...CONFIG_MAPS, namespace, name: map.metadata.name ?? '' })
  // The fault: after a crash between the two writes, the second is never made.
  if (find(secrets, namespace, name) === undefined && (!faults.has('forgetful') || map === undefined)) await make('Secret', SECRETS, gadget)
  if (gadget.status?.made !== true || faults.has('chatty')) await writeStatus(key, target)
}

/** The fault: it watches once, and stops when that watch breaks. */
async function watchOnce(): Promise<void> {
  try {
    for await (const batch of client.watch(CONFIG_MAPS, { labelSelector: 'gadget', signal: stop.signal }))
      for (const { type, object } of batch)
        if (type === 'DELETED' && 'metadata' in object)
          queue.addAfter(`${object.metadata?.namespace}/${object.metadata?.labels?.gadget}`, 300)
  } catch {
    // It continues without the watch.
  }
}

/** The fault: it ends when a watch does. */
async function dieWithWatch(): Promise<void> {
  try {
    for await (const _ of client.watch(CONFIG_MAPS, { labelSelector: 'gadget', signal: stop.signal }));
  } finally {
    if (!stop.signal.aborted) process.exit(1)
  }
}

/** The fault: it polls all the time. */
async function poll(): Promise<void> {
  while (!stop.signal.aborted) {
    await client.list({ ...GADGETS, namespace: 'default' }).catch(() => {})
    await systemClock.sleep(50)
  }
}

/** Annotates the object at each start. */
async function stamp(): Promise<void> {
  await gadgets.synced
  const patch = { metadata: { annotations: { started: new Date(systemClock.now()).toISOString() } } }
  for (const { metadata } of gadgets.list())
    await client.patch({ ...GADGETS, namespace: metadata.namespace ?? '', name: metadata.name ?? '' }, 'merge', patch)
}

/** A webhook, if a folder with a certificate is given; with the fault it writes to the API during the call. */
async function serveWebhook(folder: string, port: number): Promise<void> {
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  const server = createWebhookServer({
    tls: { cert: read('tls.crt'), key: read('tls.key') },
    validate: async () => {
      if (faults.has('impure'))
        await client.create({ ...CONFIG_MAPS, namespace: 'default' }, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen' } })
      return undefined
    },
  })
  await server.listen(port)
}

const [certs, port] = process.argv.slice(2)
if (certs !== undefined) await serveWebhook(certs, Number(port))
if (faults.has('stamps')) stamp().catch(() => {})
await Promise.all([
  gadgets.run(stop.signal),
  maps.run(stop.signal),
  secrets.run(stop.signal),
  faults.has('watches once') && watchOnce(),
  faults.has('dies') && dieWithWatch(),
  faults.has('busy') && poll(),
  runController({ name: 'gadgets', queue, ready: [gadgets.synced, maps.synced, secrets.synced], reconcile }, stop.signal),
])
await systemClock.sleep(0)
process.exit(0)
