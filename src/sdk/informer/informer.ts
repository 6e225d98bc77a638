import type { Cancel, Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client, TargetOf } from '../client/client.ts'
import type { Indexer } from './store-index.ts'

/** Index name → the values under which an object is found. */
export type Indexers<T extends KubeObject> = Readonly<Record<string, Indexer<T>>>

/**
 * Handlers of changes, called in order, synchronously. An exception of a handler is logged and stops nothing. For each object (one uid) a
 * handler gets `added`, then any number of `updated`, then `deleted`, whatever the watch missed in between.
 */
export interface InformerHandler<T extends KubeObject> {
  readonly added?: (object: Readonly<T>) => void
  /** Always the same object: one that was deleted and created again under its name is reported as `deleted`, then `added`. */
  readonly updated?: (object: Readonly<T>, old: Readonly<T>) => void
  /** The last state that was seen; after a gap in the watch that may not be the very last one. */
  readonly deleted?: (object: Readonly<T>) => void
}

/** Which collection is copied, and how its objects are found. */
export interface InformerConfig<T extends KubeObject> {
  /** The collection; with a namespace, only that one. */
  readonly target: TargetOf<T>
  /** Only objects whose labels match, in kubectl's notation: `app=web,tier in (a,b)`. Default: all. */
  readonly labelSelector?: string
  /** Only objects whose fields match: `spec.nodeName=node-1`. Which fields can be named depends on the kind. Default: all. */
  readonly fieldSelector?: string
  /** Indexes besides the key: name of an index → a function that returns the values of an object. */
  readonly indexers?: Indexers<T>
  /** A server that does not have the resource (404) counts as one with no objects, until it has. Default false. */
  readonly optional?: boolean
}

/** How a collection is read. */
export interface InformerDeps {
  readonly client: Client
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Spreads the pauses between attempts. Default: the machine's. */
  readonly random?: Random
  /** Default: no log. */
  readonly log?: Logger
}

/** What an informer copies, and how it reads. */
export interface InformerOptions<T extends KubeObject> extends InformerConfig<T>, InformerDeps {}

/** A local copy of a collection, kept by list and watch. Its objects are shared: clone one (`cloneJson`) before changing it. */
export interface Informer<T extends KubeObject> {
  /** Whether the first list was delivered to all handlers. */
  readonly hasSynced: boolean
  /** Resolves when `hasSynced` becomes true. */
  readonly synced: Promise<void>
  /** How many objects it holds. */
  readonly size: number
  /** By `namespace/name`, or `name` for objects of the cluster. */
  get(key: string): Readonly<T> | undefined
  /** All objects, or those of a namespace, in no particular order. */
  list(namespace?: string): readonly Readonly<T>[]
  /** The objects with this value in an index of `indexers` (or in `namespace`, which every informer has). */
  byIndex(index: string, value: string): readonly Readonly<T>[]
  /** Calls `added` for every object that is known now, and then the handler for all changes. */
  addHandler(handler: InformerHandler<T>): Cancel
  /** Lists and watches until the signal is aborted; then resolves. Called once. */
  run(signal: AbortSignal): Promise<void>
}
