import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client } from '../client/client.ts'
import { createInformer } from '../informer/create-informer.ts'
import type { Indexers, Informer } from '../informer/informer.ts'
import { objectKey } from '../informer/object-key.ts'
import type { Kind } from '../kinds/kind.ts'

/** What a reconciler may look at: the process's own copy of a kind. Objects are shared: clone one (`cloneJson`) before changing it. */
export interface KindReader<T extends KubeObject> {
  /** One object; namespaces only where the kind has them. */
  get(name: string, namespace?: string): Readonly<T> | undefined
  /** All, or those of a namespace. */
  list(namespace?: string): readonly Readonly<T>[]
  /** The objects with this value in an index. */
  byIndex(index: string, value: string): readonly Readonly<T>[]
}

/** Index of what a controller object owns, by its uid. */
export const BY_OWNER = 'bowsprit:controller-uid'

/** Our own write is shown for so long before the watch has reported it; later the object counts as deleted. */
const OVERLAY_MS = 10_000

/** The cache of one kind, which shows this process's writes before the watch reports them. */
export interface KindCache<T extends KubeObject = KubeObject> extends KindReader<T> {
  readonly kind: Kind<T>
  readonly informer: Informer<T>
  /** Stores the response to a write. */
  wrote(object: Readonly<T>): void
  run(signal: AbortSignal): Promise<void>
}

/** What caches are made with. */
export interface CacheDeps {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Only this namespace. Default: all. */
  readonly namespace?: string | undefined
}

/** Which of a kind's objects are copied, and how they are found. */
export interface CacheConfig<T extends KubeObject> {
  readonly labelSelector?: string | undefined
  readonly indexes: Indexers<T>
}

/** Makes a cache; `run` fills it. */
export function createKindCache<T extends KubeObject>(kind: Kind<T>, config: CacheConfig<T>, deps: CacheDeps): KindCache<T> {
  const { client, clock, random, log, namespace } = deps
  const informer = createInformer<T>({
    client,
    clock,
    random,
    log,
    target: { ...kind.ref, ...(kind.namespaced && namespace !== undefined ? { namespace } : {}) },
    ...(config.labelSelector === undefined ? {} : { labelSelector: config.labelSelector }),
    indexers: { ...config.indexes, [BY_OWNER]: ownerUids },
  })
  const written = new Map<string, { readonly object: Readonly<T>; readonly untilMs: number }>()
  const seen = (object: Readonly<T>) => {
    const key = objectKey(object)
    const own = written.get(key)
    if (own !== undefined && !isNewer(own.object, object)) written.delete(key)
  }
  /** The last states of deleted objects: the response to a write may come after the watch has reported the deletion. */
  const ended = new Map<string, { readonly object: Readonly<T>; readonly untilMs: number }>()
  const gone = (object: Readonly<T>) => {
    const key = objectKey(object)
    const now = clock.monotonic()
    for (const [old, { untilMs }] of ended) {
      if (untilMs >= now) break
      ended.delete(old)
    }
    written.delete(key)
    ended.delete(key)
    ended.set(key, { object, untilMs: now + OVERLAY_MS })
  }
  informer.addHandler({ added: seen, updated: seen, deleted: gone })

  /** What was written and is not in the copy yet. */
  const ahead = (): Readonly<T>[] => {
    const now = clock.monotonic()
    for (const [key, { untilMs }] of written) if (untilMs < now) written.delete(key)
    return [...written.values()].map((w) => w.object)
  }
  const joined = (found: readonly Readonly<T>[], belongs: (object: Readonly<T>) => boolean): readonly Readonly<T>[] => {
    if (written.size === 0) return found
    const newer = ahead()
    const replaced = new Set(newer.map(objectKey))
    return [...found.filter((o) => !replaced.has(objectKey(o))), ...newer.filter(belongs)]
  }
  const indexers: Indexers<T> = { ...config.indexes, [BY_OWNER]: ownerUids }
  return {
    kind,
    informer,
    get(name, inNamespace = '') {
      const key = kind.namespaced ? `${inNamespace}/${name}` : name
      const own = written.get(key)
      return own !== undefined && own.untilMs >= clock.monotonic() ? own.object : informer.get(key)
    },
    list: (inNamespace) => joined(informer.list(inNamespace), (o) => inNamespace === undefined || o.metadata.namespace === inNamespace),
    byIndex: (index, value) => joined(informer.byIndex(index, value), (o) => indexers[index]?.(o).includes(value) ?? false),
    wrote(object) {
      const key = objectKey(object)
      const known = informer.get(key)
      if (known !== undefined && !isNewer(object, known)) return
      const last = ended.get(key)?.object
      if (last !== undefined && (last.metadata.uid === object.metadata.uid || !isNewer(object, last))) return
      written.set(key, { object, untilMs: clock.monotonic() + OVERLAY_MS })
    },
    run: (signal) => informer.run(signal),
  }
}

const ownerUids = (object: Readonly<KubeObject>): readonly string[] =>
  (object.metadata.ownerReferences ?? []).filter((r) => r.controller === true).map((r) => r.uid)

/** Whether `a` was written after `b`. Versions that are no counters cannot be compared: then the watch has the last word. */
function isNewer(a: Readonly<KubeObject>, b: Readonly<KubeObject>): boolean {
  const [left, right] = [a.metadata.resourceVersion ?? '', b.metadata.resourceVersion ?? '']
  if (!/^\d+$/.test(left) || !/^\d+$/.test(right)) return false
  return left.length === right.length ? left > right : left.length > right.length
}
