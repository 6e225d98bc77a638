/**
 * A small operator, written by hand over the client: each gadget has a config map and a secret, and its status says so. `FAULT` plants one fault of those that
 * operators have; without it it has none.
 */

import { keepAlive, systemClock } from '../../src/base/clock.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import { connect } from '../../src/sdk/client/connect.ts'
import { CONFIG_MAPS, SECRETS } from '../../src/sdk/client/refs.ts'
import { runController } from '../../src/sdk/controller/run-controller.ts'
import { WorkQueue } from '../../src/sdk/controller/work-queue.ts'
import { createInformer } from '../../src/sdk/informer/informer.ts'
import { objectKey, splitKey } from '../../src/sdk/informer/object-key.ts'

const GADGETS = { group: 'example.com', version: 'v1', resource: 'gadgets' }
const fault = process.env.FAULT ?? ''

const stop = new AbortController()
if (fault !== 'deaf') process.once('SIGTERM', () => stop.abort())
else process.on('SIGTERM', () => {})

keepAlive()
const { client } = await connect()
const gadgets = createInformer({ client, target: GADGETS })
const maps = createInformer({ client, target: CONFIG_MAPS, labelSelector: 'gadget' })
const secrets = createInformer({ client, target: SECRETS, labelSelector: 'gadget' })
const queue = new WorkQueue({ maxMs: 500 })
const byOwner = (object: Readonly<KubeObject>) => queue.add(`${object.metadata.namespace}/${object.metadata.labels?.gadget}`)
gadgets.addHandler({ added: (g) => queue.add(objectKey(g)), updated: (g) => queue.add(objectKey(g)) })
if (fault !== 'blind') for (const informer of [maps, secrets]) informer.addHandler({ added: byOwner, updated: byOwner, deleted: byOwner })

async function make(kind: string, target: typeof CONFIG_MAPS, gadget: Readonly<KubeObject>): Promise<void> {
  const { name = '', namespace = '', uid = '' } = gadget.metadata
  const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Gadget', name, uid, controller: true }]
  const metadata = { name, labels: { gadget: name }, ...(fault === 'leaves' ? {} : { ownerReferences }) }
  try {
    await client.create({ ...target, namespace }, { apiVersion: 'v1', kind, metadata })
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
  }
}

const reconcile = async (key: string) => {
  const gadget = gadgets.get(key)
  if (gadget === undefined || gadget.metadata.deletionTimestamp !== undefined) return
  const { namespace, name } = splitKey(key)
  const target = { ...GADGETS, namespace, name, subresource: 'status' }
  const mapIsNew = maps.get(key) === undefined
  if (mapIsNew) await make('ConfigMap', CONFIG_MAPS, gadget)
  // The fault: whoever dies between the two writes never makes the second.
  if (secrets.get(key) === undefined && (fault !== 'forgetful' || mapIsNew)) await make('Secret', SECRETS, gadget)
  if (gadget.status?.made !== true || fault === 'chatty') await client.patch(target, 'merge', { status: { made: true } })
  if (fault === 'busy') {
    await client.list({ ...GADGETS, namespace })
    queue.addAfter(key, 50)
  }
}

await Promise.all([
  gadgets.run(stop.signal),
  maps.run(stop.signal),
  secrets.run(stop.signal),
  runController({ name: 'gadgets', queue, ready: [gadgets.synced, maps.synced, secrets.synced], reconcile }, stop.signal),
])
await systemClock.sleep(0)
process.exit(0)
