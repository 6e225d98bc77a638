import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, harmless, int, refused, strings, text } from '../../machinery/flags/kinds.ts'
import { optionFile } from '../option-file.ts'

const MINUTE = 60_000

/**
 * Storage. Bowsprit has a store of its own: the flags of etcd are accepted without effect, so that a command line of kube-apiserver works.
 */
export const STORAGE_FLAGS = {
  'data-dir': text('', { help: "Bowsprit's own: the folder of the store; empty keeps everything in memory" }),
  'etcd-servers': strings([], {
    help: 'followed by the kube-apiserver of "bowsprit assets" alone: the etcd that lies beside it; else objects are kept here (--data-dir)',
  }),
  'etcd-servers-overrides': strings([], harmless),
  'etcd-prefix': text('/registry', harmless),
  'etcd-cafile': text(''),
  'etcd-certfile': text(''),
  'etcd-keyfile': text(''),
  'etcd-compaction-interval': duration(5 * MINUTE, harmless),
  'etcd-count-metric-poll-period': duration(MINUTE, harmless),
  'etcd-db-metric-poll-interval': duration(30_000, harmless),
  'etcd-healthcheck-timeout': duration(2000, harmless),
  'etcd-readycheck-timeout': duration(2000, harmless),
  'event-ttl': duration(60 * MINUTE, { help: 'how long events are kept; 0: for ever' }),
  'lease-reuse-duration-seconds': int(60, harmless),
  'storage-backend': text(''),
  'storage-media-type': text('application/vnd.kubernetes.protobuf', harmless),
  'storage-initialization-timeout': duration(MINUTE, harmless),
  'watch-cache': bool(true, refused('reads are always answered from the watch cache')),
  'watch-cache-sizes': strings([], harmless),
  'default-watch-cache-size': int(100, { ...harmless, deprecated: '' }),
  'delete-collection-workers': int(1, harmless),
  'enable-garbage-collector': bool(true, refused('finalizers of deletion propagation are always set')),
  'encryption-provider-config': text('', refused('objects are kept unencrypted; encrypt the disk')),
  'encryption-provider-config-automatic-reload': bool(false, harmless),
}

type StorageValues = FlagValues<typeof STORAGE_FLAGS>

/** The etcd with the objects. */
export interface EtcdOptions {
  readonly servers: readonly string[]
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

export interface StorageOptions {
  /** The folder of the store; undefined: in memory. */
  readonly dataDir: string | undefined
  /** Bowsprit's own etcd in another process; undefined: the store is in this process. */
  readonly etcd?: EtcdOptions
  /** How long events are kept; undefined: for ever. */
  readonly eventTtlMs: number | undefined
}

export function storageFaults({ values }: { readonly values: StorageValues }): string[] {
  const backend = values['storage-backend']
  const overrides = values['etcd-servers-overrides'].filter((text) => !/^[^/#]*\/[^/#]+#.+$/.test(text))
  const faults = overrides.map(
    () => '--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated',
  )
  if (backend !== '' && backend !== 'etcd3')
    faults.unshift(`--storage-backend invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'`)
  const type = values['storage-media-type']
  if (type !== '' && !MEDIA_TYPES.includes(type))
    faults.push(`--storage-media-type ${JSON.stringify(type)} invalid, allowed values: ${MEDIA_TYPES.join(', ')}`)
  return faults
}

const MEDIA_TYPES: readonly string[] = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml']

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

/** The etcd of the command line. */
export const readEtcd = ({ values }: { readonly values: StorageValues }): EtcdOptions => ({
  servers: values['etcd-servers'],
  caFile: values['etcd-cafile'],
  certFile: values['etcd-certfile'],
  keyFile: values['etcd-keyfile'],
})

export function readStorage({ values }: { readonly values: StorageValues }): StorageOptions {
  checkEtcdFiles(values)
  return {
    dataDir: values['data-dir'] === '' ? undefined : values['data-dir'],
    // Leases have whole seconds.
    eventTtlMs: values['event-ttl'] < 1000 ? undefined : Math.floor(values['event-ttl'] / 1000) * 1000,
  }
}
