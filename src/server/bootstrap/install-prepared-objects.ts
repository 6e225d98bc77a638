import { namesIn, prefixOf } from '../../apiserver/cache/storage-keys.ts'
import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import { type Clock, timestamp } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { Store } from '../../storage/store.ts'
import type { BootstrapConfig } from './bootstrap-objects.ts'
import { filled, type PreparedObjects, readPrepared, standAsPrepared } from './prepared-objects.ts'

/** The options on which a server's bootstrap objects depend. */
export interface PreparedObjectsConfig extends BootstrapConfig {
  /** Every write is audited. */
  readonly audited: boolean
  /** All objects are in one store. */
  readonly oneStore: boolean
  /** The enabled admission plugins. */
  readonly plugins: readonly string[]
}

export interface PreparedObjectsDeps {
  readonly store: Pick<Store, 'commit'>
  readonly watchCache: Pick<WatchCache, 'revision' | 'reach' | 'cacheOf'>
  readonly clock: Clock
  readonly random: Random
  /** Default: those of the built package, if this is one. */
  readonly prepared?: PreparedObjects
}

/** The revision of an empty store. */
const FRESH = 1

/**
 * Writes the prepared objects into a fresh store, and waits until the caches have them; in an existing store, checks that they are
 * unchanged. False if each object has to be checked: the options differ from the prepared ones, writes are audited, an object has to be
 * repaired, or another server of the same cluster starts too.
 */
export async function installPreparedObjects(config: PreparedObjectsConfig, deps: PreparedObjectsDeps): Promise<boolean> {
  const { serviceCidr, roles, gatedKinds, age, port, nodePort = 0, serves, audited, oneStore, plugins } = config
  const { store, watchCache, clock, random } = deps
  const fresh = watchCache.revision === FRESH
  // No other plugin affects these kinds.
  if (
    !roles ||
    !oneStore ||
    nodePort > 0 ||
    serves !== undefined ||
    gatedKinds.length > 0 ||
    age !== undefined ||
    (fresh && (audited || plugins.includes('AlwaysDeny')))
  )
    return false
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

function storedIn(watchCache: PreparedObjectsDeps['watchCache'], key: string): Buffer | undefined {
  const prefix = prefixOf(key)
  if (prefix === undefined) return undefined
  const { group, resource } = namesIn(prefix)
  return watchCache.cacheOf(group, resource).get(key.slice(prefix.length))?.stored
}

/** An upper bound for the caches' delay behind the store. */
const PATIENCE_MS = 10_000
