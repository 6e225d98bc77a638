import { namesIn, prefixOf } from '../../apiserver/cache/storage-keys.ts'
import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import { type Clock, timestamp } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Store } from '../../storage/store.ts'
import type { BootstrapConfig } from './bootstrap-objects.ts'
import { filled, type PreparedObjects, readPrepared, standAsPrepared } from './prepared-objects.ts'

/** What may make a server's first objects others than those of most. */
export interface LayDownConfig extends BootstrapConfig {
  /** Each write is told to somebody. */
  readonly audited: boolean
  /** The names of the admission plugins that run. */
  readonly plugins: readonly string[]
}

export interface LayDownDeps {
  readonly store: Pick<Store, 'commit'>
  readonly watchCache: Pick<WatchCache, 'revision' | 'reach' | 'cacheOf'>
  readonly clock: Clock
  readonly random: Random
  /** Default: those of the built package, if this is one. */
  readonly prepared?: PreparedObjects
}

/** The revision of a store that nothing was ever written to. */
const FRESH = 1

/**
 * Puts what was prepared into a fresh store, and waits until the caches have it; finds it as it was laid down in one that is not. False
 * where each object has to be looked at: the options are not those that it was prepared for, somebody is to hear of each write, something
 * is to be put right, or another server of the same cluster starts too.
 */
export async function layDownBootstrap(config: LayDownConfig, deps: LayDownDeps): Promise<boolean> {
  const { serviceCidr, roles, port, audited, plugins } = config
  const { store, watchCache, clock, random } = deps
  const fresh = watchCache.revision === FRESH
  // No other plugin has anything to say about these kinds.
  if (!roles || (fresh && (audited || plugins.includes('AlwaysDeny')))) return false
  const prepared = deps.prepared ?? readPrepared()
  if (prepared?.serviceCidr !== serviceCidr) return false
  if (!fresh) return standAsPrepared(prepared, (key) => storedIn(watchCache, key))
  const entries = filled(prepared, { now: timestamp(clock.now()), port, uuid: () => random.uuid() })
  const commits = await Promise.all(
    entries.map(({ key, value }) => store.commit({ key, expect: { absent: true }, value: Buffer.from(value, 'latin1') })),
  )
  const last = commits.at(-1)
  if (last?.kind !== 'stored' || !commits.every(({ kind }) => kind === 'stored')) return false
  return watchCache.reach(last.revision, PATIENCE_MS)
}

function storedIn(watchCache: LayDownDeps['watchCache'], key: string): Buffer | undefined {
  const prefix = prefixOf(key)
  if (prefix === undefined) return undefined
  const { group, resource } = namesIn(prefix)
  return watchCache.cacheOf(group, resource).get(key.slice(prefix.length))?.stored
}

/** The caches are never so far behind the store. */
const PATIENCE_MS = 10_000
