/** The frame of the stand-ins: an informer for each kind, a queue, and one function that reconciles a sample. */
import type { KubeObject } from '../../../src/machinery/object.ts'
import { isStatus } from '../../../src/machinery/status-error.ts'
import type { JSONSchemaProps } from '../../../src/resources/types/apiextensions.ts'
import type { StatefulSet } from '../../../src/resources/types/apps.ts'
import type { PersistentVolumeClaim } from '../../../src/resources/types/core.ts'
import type { Client, ResourceRef, Target } from '../../../src/sdk/client/client.ts'
import { runController } from '../../../src/sdk/controller/run-controller.ts'
import { WorkQueue } from '../../../src/sdk/controller/work-queue.ts'
import { createInformer } from '../../../src/sdk/informer/create-informer.ts'
import type { Informer } from '../../../src/sdk/informer/informer.ts'
import { objectKey } from '../../../src/sdk/informer/object-key.ts'
import { customResourceDefinition } from '../../../src/testing/builders.ts'
import type { InProcessOperator, OperatorLife } from '../../../src/testing/operator-search/run/operator-life.ts'

/** A database of the stand-ins: its spec is what each of them makes of it. */
export interface Database extends KubeObject<Record<string, unknown>, Record<string, unknown>> {}

/** What a stand-in does with one database. */
export interface StandInContext {
  readonly database: Readonly<Database>
  readonly client: Client
  /** What it knows of a kind, which may be old. */
  readonly cached: (ref: ResourceRef) => readonly Readonly<KubeObject>[]
  readonly life: OperatorLife
  /** Ends the whole operator, as a nil pointer does a program in Go. */
  readonly panic: (error: Error) => void
}

export type Reconcile = (context: StandInContext) => Promise<void>

/** What a stand-in does with everything it knows, whatever databases there are. */
export type Sweep = (context: Pick<StandInContext, 'client' | 'cached'>) => Promise<void>

export const DATABASES = { group: 'example.com', version: 'v1', resource: 'databases' }

/** No database has this key. */
const SWEEP = ''

/** An operator that watches databases and these kinds, and at each change reconciles every database, and sweeps. */
export function standIn(watches: readonly ResourceRef[], reconcile: Reconcile, sweep?: Sweep): InProcessOperator {
  return async (life) => {
    const { client, clock, random, signal } = life
    const queue = new WorkQueue({ clock, maxMs: 10_000 })
    const informers = new Map<ResourceRef, Informer<KubeObject>>()
    const all = () => {
      for (const database of informers.get(DATABASES)?.list() ?? []) queue.add(objectKey(database))
      if (sweep !== undefined) queue.add(SWEEP)
    }
    for (const target of [DATABASES, ...watches]) {
      const informer = createInformer<KubeObject>({ client, target, clock, random })
      informer.addHandler({ added: all, updated: all, deleted: all })
      informers.set(target, informer)
    }
    const panicked = Promise.withResolvers<never>()
    const cached = (ref: ResourceRef) => informers.get(ref)?.list() ?? []
    const reconcileKey = async (key: string) => {
      if (key === SWEEP) return sweep?.({ client, cached })
      const database = informers.get(DATABASES)?.get(key) as Readonly<Database> | undefined
      if (database !== undefined) await reconcile({ database, client, cached, life, panic: panicked.reject })
    }
    const ready = [...informers.values()].map((i) => i.synced)
    const running = [...informers.values()].map((i) => i.run(signal))
    const work = runController({ name: 'databases', queue, ready, reconcile: reconcileKey }, signal)
    await Promise.race([Promise.all([...running, work]), panicked.promise])
  }
}

/** The definition of databases with these fields. */
export const databases = (properties: Readonly<Record<string, JSONSchemaProps>>) =>
  customResourceDefinition({ group: 'example.com', kind: 'Database', spec: { type: 'object', properties } })

export const database = (spec: Record<string, unknown>): Database => ({
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { name: 'd', namespace: 'default' },
  spec,
})

/** The object as the API server has it now; undefined: it does not exist. */
export const live = (client: Client, target: Target) =>
  client.get(target).catch((error: unknown) => {
    if (isStatus(error, 'NotFound')) return undefined
    throw error
  })

/** Creates an object unless it exists. */
export async function ensure(client: Client, target: Target, object: KubeObject): Promise<void> {
  const { name: _, ...collection } = target
  if ((await live(client, target)) === undefined) await client.create(collection, object)
}

/** Deletes an object if it exists. */
export async function remove(client: Client, target: Target, preconditions?: { readonly uid?: string }): Promise<void> {
  await client.delete(target, preconditions && { preconditions }).catch((error: unknown) => {
    if (!isStatus(error, 'NotFound')) throw error
  })
}

/** The owner reference that makes the garbage collector delete an object with its database. */
export const ownedBy = ({ metadata: { name = '', uid = '' } }: Readonly<Database>) => [
  { apiVersion: 'example.com/v1', kind: 'Database', name, uid, controller: true },
]

export const FINALIZER = 'example.com/databases'

/** Adds or removes the finalizer, on condition that the database is the one that was seen. */
export async function setFinalizer(client: Client, { metadata }: Readonly<Database>, wanted: boolean): Promise<void> {
  const { namespace = 'default', name = '', uid, resourceVersion, finalizers = [] } = metadata
  if (finalizers.includes(FINALIZER) === wanted) return
  const others = finalizers.filter((f) => f !== FINALIZER)
  const patch = { metadata: { uid, resourceVersion, finalizers: wanted ? [...others, FINALIZER] : others } }
  await client.patch({ ...DATABASES, namespace, name }, 'merge', patch)
}

/** A claim that outlives its database. */
export const claim = (name: string, storage = '1Gi'): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
})

/** The StatefulSet of a database. */
export function members(database: Readonly<Database>): StatefulSet {
  const { name = '' } = database.metadata
  const labels = { app: name }
  const nodeSelector = database.spec?.nodeSelector as Readonly<Record<string, string>> | undefined
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'member', image: 'pause' }], ...(nodeSelector && { nodeSelector }) },
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, ownerReferences: ownedBy(database) },
    spec: { replicas: Number(database.spec?.size ?? 1), serviceName: name, selector: { matchLabels: labels }, template },
  }
}
