import { ROOT } from '../../apiserver/cache/storage-keys.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { keyNames } from '../../resources/etcd-keys.ts'
import type { LiveEncryption } from '../../server/encryption/live-encryption.ts'
import { LayoutStore } from '../../server/etcd-layout/layout-store.ts'
import { createStoredValues } from '../../server/etcd-layout/stored-values.ts'
import { kubernetesKinds } from '../../server/kubernetes-kinds.ts'
import type { EtcdOptions } from '../../server/options/storage.ts'
import { OptionsError } from '../../server/options-error.ts'
import { EncryptingStore, type TransformerOf } from '../../storage/encryption/encrypting-store.ts'
import { identity } from '../../storage/encryption/identity.ts'
import { openEtcdStore } from '../../storage/etcd/etcd-store.ts'
import { DEFAULT_LEASES } from '../../storage/etcd/leases.ts'
import { type Store, StoreError } from '../../storage/store.ts'
import { etcdMembers } from './etcd-members.ts'
import { transformerOfKeys } from './transformer-of-keys.ts'

/** How long to wait for etcd at the start, as kube-apiserver does. */
const PATIENCE_MS = 20_000

export interface KubernetesEtcdDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  /** Undefined: values are stored unencrypted. */
  readonly encryption?: Pick<LiveEncryption, 'transformerOf'>
}

/**
 * The store in an etcd, in kube-apiserver's layout: other servers, kube-apiserver among them, may serve the same objects.
 * @throws {OptionsError} with kube-apiserver's message, and the reason, if etcd cannot be reached
 */
export async function openKubernetesEtcd(options: EtcdOptions, deps: KubernetesEtcdDeps): Promise<Store> {
  const { prefix, mediaType, leaseReuseS, compactionIntervalMs } = options
  const config = {
    ...etcdMembers(options),
    prefix: `${prefix}/`,
    leases: { ...DEFAULT_LEASES, reuseS: leaseReuseS },
    compactionIntervalMs,
  }
  let reason = ''
  const unreachable = (why: string) => {
    reason = ` (${why})`
  }
  const store = await openEtcdStore(config, { ...deps, unreachable })
  try {
    await reachable(store, deps.clock)
  } catch (cause) {
    await store[Symbol.asyncDispose]()
    if (!(cause instanceof StoreError)) throw cause
    throw new OptionsError('bad-option', `error creating storage factory: ${cause.message}${reason}`, { cause })
  }
  return inKubernetesLayout(store, { root: config.prefix, mediaType, encryption: deps.encryption })
}

export interface KubernetesLayout {
  /** What the keys of the store are below: `/registry/`. */
  readonly root: string
  readonly mediaType: EtcdOptions['mediaType']
  readonly encryption: KubernetesEtcdDeps['encryption']
}

/** The objects in a store that has kube-apiserver's keys and values. It owns that store. */
export function inKubernetesLayout(store: Store, { root, mediaType, encryption }: KubernetesLayout): Store {
  const encrypted = new EncryptingStore(store, transformersOf(encryption), root)
  return new LayoutStore(encrypted, createStoredValues({ kinds: kubernetesKinds, definitions: builtinResources(), mediaType }))
}

/** The transformers of the keys below the prefix. */
function transformersOf(encryption: KubernetesEtcdDeps['encryption']): TransformerOf {
  if (encryption === undefined) return () => identity
  const names = keyNames()
  const ofKey = transformerOfKeys(encryption)
  return (key) => ofKey(names.inside(ROOT + key))
}

async function reachable(store: Store, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<never>()
  const cancel = clock.after(PATIENCE_MS, () => late.reject(new StoreError('timeout', 'context deadline exceeded')))
  try {
    await Promise.race([store.latest(), late.promise])
  } finally {
    cancel()
  }
}
