import path from 'node:path'
import { type FlagValues, initialValues } from '../../machinery/flags/flag.ts'
import { bool, duration, harmless, int, refused, strings, text } from '../../machinery/flags/kinds.ts'
import type { EncryptionOptions } from '../encryption/live-encryption.ts'
import { optionFile } from '../option-file.ts'

const MINUTE = 60_000
const PROTOBUF = 'application/vnd.kubernetes.protobuf'

/**
 * Storage: in etcd (`--etcd-servers`), in a folder (`--data-dir`), or in memory.
 */
export const STORAGE_FLAGS = {
  'data-dir': text('', { help: "Bowsprit's own: the folder of the store (default: everything is kept in memory)" }),
  'quota-backend-bytes': int(0, {
    help: "Bowsprit's own: the largest size of all objects together, in bytes, of a store in a folder or in memory; 0: 2 GiB",
  }),
  'etcd-servers': strings([], { help: 'the URLs of etcd; with neither this nor --data-dir, objects are kept in memory' }),
  'etcd-servers-overrides': strings([], {
    help: 'GROUP/RESOURCE#URL;URL: another etcd for these objects, with the same certificates and prefix; * is every resource of the group',
  }),
  'etcd-prefix': text('/registry', { help: 'the prefix of every key' }),
  'etcd-cafile': text('', { help: 'the certificate authority of etcd' }),
  'etcd-certfile': text('', { help: 'the client certificate for etcd' }),
  'etcd-keyfile': text('', { help: 'the key of that certificate' }),
  'etcd-compaction-interval': duration(5 * MINUTE, { help: 'how often old revisions are compacted; 0: never' }),
  'etcd-count-metric-poll-period': duration(MINUTE, {
    help: '0: /metrics does not show the number of objects; any other value: it does',
  }),
  'etcd-db-metric-poll-interval': duration(30_000, {
    help: 'how often etcd is asked for its size (apiserver_storage_size_bytes); 0: never',
  }),
  'etcd-healthcheck-timeout': duration(2000, { help: 'how long a health check waits for etcd' }),
  'etcd-readycheck-timeout': duration(2000, harmless),
  'event-ttl': duration(60 * MINUTE, { help: 'how long events are kept; 0: for ever' }),
  'lease-reuse-duration-seconds': int(60, { help: 'how long events share a lease of etcd' }),
  'storage-backend': text('', { help: 'etcd3, the only one' }),
  'storage-media-type': text(PROTOBUF, { help: 'how objects of built-in kinds are written' }),
  'storage-initialization-timeout': duration(MINUTE, harmless),
  'watch-cache': bool(true, refused('reads are always answered from the watch cache')),
  'watch-cache-sizes': strings([], harmless),
  'default-watch-cache-size': int(100, { ...harmless, deprecated: '' }),
  'delete-collection-workers': int(1, harmless),
  'enable-garbage-collector': bool(true, refused('finalizers of deletion propagation are always set')),
  'encryption-provider-config': text('', { help: 'an EncryptionConfiguration: which resources are encrypted in the store, and how' }),
  'encryption-provider-config-automatic-reload': bool(false, { help: 'follow changes of that file' }),
}

type StorageValues = FlagValues<typeof STORAGE_FLAGS>

/** The etcd with the objects. */
export interface EtcdOptions {
  readonly servers: readonly string[]
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
  /** Before every key, without a slash at the end: `/registry`. */
  readonly prefix: string
  /** How objects of built-in kinds are written. */
  readonly mediaType: StorageMediaType
  /** Undefined: this server does not compact. */
  readonly compactionIntervalMs: number | undefined
  /** How often etcd is asked for its size; undefined: never. */
  readonly sizeIntervalMs: number | undefined
  /** How long a health check waits. */
  readonly healthTimeoutMs: number
  /** How long one lease is shared by events that come later. */
  readonly leaseReuseS: number
}

/** Where the objects of one built-in resource are, or of a group (`*`), if not in the etcd of all others. */
export interface EtcdOverride {
  readonly group: string
  readonly resource: string
  readonly servers: readonly string[]
}

/** The etcd, which servers of other programs may use, too; undefined: the store is in this process, or in that of `bowsprit assets`. */
export const sharedEtcd = ({ etcd, etcdOfAssets }: StorageOptions): EtcdOptions | undefined => (etcdOfAssets === true ? undefined : etcd)

/** `GROUP/RESOURCE#SERVER;SERVER`; undefined: it is something else. */
export function parseOverride(text: string): EtcdOverride | undefined {
  const [place = '', list = '', ...more] = text.split('#')
  const [group = '', resource, ...parts] = place.split('/')
  const servers = list.split(';')
  return more.length > 0 || parts.length > 0 || resource === undefined || servers.includes('') ? undefined : { group, resource, servers }
}

const MEDIA_TYPES = [PROTOBUF, 'application/json', 'application/yaml'] as const
export type StorageMediaType = (typeof MEDIA_TYPES)[number]

export interface StorageOptions {
  /** The folder of the store; undefined: in memory. */
  readonly dataDir: string | undefined
  /** How many bytes of values a store of this process keeps; undefined: its default. */
  readonly quotaBackendBytes?: number | undefined
  /** Undefined: the store is in this process. */
  readonly etcd?: EtcdOptions
  /** Of `etcd`. */
  readonly etcdOverrides?: readonly EtcdOverride[]
  /** The etcd is that of `bowsprit assets`, which has a protocol of its own. */
  readonly etcdOfAssets?: boolean
  /** Undefined: objects are stored unencrypted. */
  readonly encryption?: EncryptionOptions
  /** How long events are kept; undefined: for ever. */
  readonly eventTtlMs: number | undefined
  /** `/metrics` shows how many objects there are. */
  readonly countsObjects: boolean
}

export function storageFaults({ values }: { readonly values: StorageValues }): string[] {
  const backend = values['storage-backend']
  const faults: string[] = []
  if (values['etcd-servers-overrides'].some((text) => parseOverride(text) === undefined))
    faults.push('--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated')
  if (backend !== '' && backend !== 'etcd3')
    faults.unshift(`--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'`)
  if (values['encryption-provider-config'] === '' && values['encryption-provider-config-automatic-reload'])
    faults.push('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config')
  const type = values['storage-media-type']
  if (type !== '' && mediaTypeOf(type) === undefined)
    faults.push(`--storage-media-type ${JSON.stringify(type)} invalid, allowed values: ${MEDIA_TYPES.toSorted().join(', ')}`)
  return faults
}

/** Reported last: kube-apiserver parses these when it creates its caches. */
export function cacheSizeFault({ values }: { readonly values: StorageValues }): string | undefined {
  for (const pair of values['watch-cache-sizes']) {
    const [, size, more] = pair.split('#')
    if (size === undefined || more !== undefined) return `invalid value of watch cache size: ${pair}`
    if (!/^[+-]?\d+$/.test(size)) return `invalid size of watch cache size: ${pair}`
    if (Number(size) < 0) return `watch cache size cannot be negative: ${pair}`
  }
  return undefined
}

/** Checks the TLS files of the etcd client: a local etcd needs none, but given ones are validated. */
function checkEtcdFiles(values: StorageValues): void {
  for (const name of ['etcd-certfile', 'etcd-keyfile', 'etcd-cafile'] as const)
    if (values[name] !== '') optionFile(values[name], (error) => `error creating storage factory: ${error}`)
}

const mediaTypeOf = (text: string): StorageMediaType | undefined => MEDIA_TYPES.find((type) => type === text)

/** The etcd of a command line in which only these flags are given. */
export const etcdOf = (given: Partial<StorageValues>): EtcdOptions => readEtcd({ values: { ...initialValues(STORAGE_FLAGS), ...given } })

/** The etcd of the command line. */
export const readEtcd = ({ values }: { readonly values: StorageValues }): EtcdOptions => ({
  servers: values['etcd-servers'],
  caFile: values['etcd-cafile'],
  certFile: values['etcd-certfile'],
  keyFile: values['etcd-keyfile'],
  prefix: path.posix.join('/', values['etcd-prefix']).replace(/\/+$/, ''),
  mediaType: mediaTypeOf(values['storage-media-type']) ?? PROTOBUF,
  compactionIntervalMs: values['etcd-compaction-interval'] > 0 ? values['etcd-compaction-interval'] : undefined,
  sizeIntervalMs: values['etcd-db-metric-poll-interval'] > 0 ? values['etcd-db-metric-poll-interval'] : undefined,
  healthTimeoutMs: values['etcd-healthcheck-timeout'],
  leaseReuseS: values['lease-reuse-duration-seconds'],
})

const readOverrides = ({ values }: { readonly values: StorageValues }) =>
  values['etcd-servers-overrides'].map(parseOverride).filter((override) => override !== undefined)

export function readStorage(flags: { readonly values: StorageValues }): StorageOptions {
  const { values } = flags
  checkEtcdFiles(values)
  const file = values['encryption-provider-config']
  return {
    ...(file !== '' && { encryption: { file, reloads: values['encryption-provider-config-automatic-reload'] } }),
    dataDir: values['data-dir'] === '' ? undefined : values['data-dir'],
    quotaBackendBytes: values['quota-backend-bytes'] > 0 ? values['quota-backend-bytes'] : undefined,
    ...(values['data-dir'] === '' && values['etcd-servers'].length > 0 && { etcd: readEtcd(flags), etcdOverrides: readOverrides(flags) }),
    countsObjects: values['etcd-count-metric-poll-period'] > 0,
    // Leases have whole seconds.
    eventTtlMs: values['event-ttl'] < 1000 ? undefined : Math.floor(values['event-ttl'] / 1000) * 1000,
  }
}
