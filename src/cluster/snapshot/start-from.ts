import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { systemRandom } from '../../base/random.ts'
import type { Keyspace } from '../../storage/keyspace.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { SnapshotError } from '../../storage/snapshot/snapshot-error.ts'
import { readSnapshot } from '../../storage/snapshot/snapshot-file.ts'
import { type ClusterKeys, openCertificates } from '../certificates.ts'
import type { Cluster, InnerClusterDeps } from '../cluster.ts'
import type { ClusterOptions } from '../cluster-options.ts'
import { type ClusterConfig, completeConfig } from '../config.ts'
import { startInFolder } from '../data-folder.ts'
import { catchUp } from './catch-up.ts'
import type { StartCluster } from './fork-cluster.ts'
import { type SavedCluster, savedCluster } from './saved-cluster.ts'

/** Starts a cluster from a snapshot's file. */
export async function startFrom(file: string, options: ClusterOptions, deps: InnerClusterDeps, start: StartCluster): Promise<Cluster> {
  const { keyspace, about } = await readSnapshot(file)
  const { from: _, ...own } = options
  const { clock = systemClock } = deps
  if (isObjectsAlone(about)) {
    if (isInMemory(own)) return (await import('./start-from-objects.ts')).startFromObjects(keyspace, own, deps, start)
    return startMoved(configOf(own), { keyspace, keys: undefined, clock }, () => start({ parts: ['server'], ...own }, deps))
  }
  const saved = savedIn(file, about)
  await catchUp(clock, saved.savedAtMs)
  assertInTime(file, saved, clock)
  const all: ClusterOptions = { ...saved.options, ...own, ephemeral: isInMemory(own) }
  const { keys } = saved
  if (all.ephemeral === true) {
    const store = async (at: Clock) => openMemoryStore({}, { clock: at }, keyspace)
    return start(all, { ...deps, origin: { store, keys } })
  }
  return startMoved(configOf(all), { keyspace, keys, clock }, () => start(all, deps))
}

/** Starts in a data folder that has these belongings. */
const startMoved = (config: ClusterConfig, belongings: Belongings, start: () => Promise<Cluster>): Promise<Cluster> =>
  startInFolder(config.dataDir, async () => {
    await moveIn(config, belongings)
    return start()
  })

const isInMemory = ({ ephemeral, dataDir }: ClusterOptions) => ephemeral === true || dataDir === undefined

/** The configuration without programs, which a data folder does not have. */
function configOf({ images: _, ...plain }: ClusterOptions): ClusterConfig {
  return completeConfig(plain)
}

/** What `bowsprit export` writes: the objects of a store, which has neither keys nor options of a cluster. */
const isObjectsAlone = (about: unknown): boolean => typeof about === 'object' && about !== null && 'objectsAlone' in about

interface Belongings {
  readonly keyspace: Keyspace
  /** Undefined: new ones are made. */
  readonly keys: ClusterKeys | undefined
  readonly clock: Clock
}

function savedIn(file: string, about: unknown): SavedCluster {
  try {
    return savedCluster(about)
  } catch (cause) {
    const why = messageOf(cause)
    throw new SnapshotError('not-a-snapshot', `${file} is no snapshot of a cluster (${why}): name a file that "save" wrote`, { cause })
  }
}

/** With the machine's clock, a snapshot must not be from the future: its certificates would not be valid yet. */
function assertInTime(file: string, { keys, savedAtMs }: SavedCluster, clock: Clock): void {
  const from = new X509Certificate(keys.ca.certificate).validFromDate.getTime()
  if (from > clock.now())
    throw new SnapshotError(
      'time',
      `the snapshot ${file} was saved at ${new Date(savedAtMs).toISOString()} by a clock that is ahead of this one, so its certificates are not good yet: start it with a VirtualClock, or save it from a cluster whose clock is not ahead`,
    )
}

/** Fills a data folder without a cluster. */
async function moveIn(config: ClusterConfig, { keyspace, keys, clock }: Belongings): Promise<void> {
  const { serviceCidr, dataDir = '' } = config
  for (const name of ['store', 'certificates']) {
    if (existsSync(path.join(dataDir, name)))
      throw new SnapshotError(
        'occupied',
        `${dataDir} holds a cluster already: leave --from out to go on with it, name another folder with --data-dir, or remove it`,
      )
  }
  const { fillSqlite } = await import('../../storage/snapshot/fill-sqlite.ts')
  const stored = await storedForm(keyspace, config, clock)
  openCertificates({ folder: path.join(dataDir, 'certificates'), serviceCidr, ...(keys && { keys }) }, { clock })
  fillSqlite(path.join(dataDir, 'store'), stored)
}

/** The values as the configuration has them encrypted. */
async function storedForm(keyspace: Keyspace, { encryption: options }: ClusterConfig, clock: Clock): Promise<Keyspace> {
  if (options === undefined) return keyspace
  const { openEncryption } = await import('../server/open-encryption.ts')
  const { encryptedKeyspace } = await import('../moving/encrypted-keyspace.ts')
  const encryption = await openEncryption({ ...options, reloads: false }, { clock, log: silentLogger, random: systemRandom() })
  await using _live = encryption.live
  return encryptedKeyspace(keyspace, encryption)
}
