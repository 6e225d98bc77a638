import { styleText } from 'node:util'
import { Command, InvalidArgumentError, Option } from 'commander'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { moveObjects } from '../cluster/moving/move-objects.ts'
import type { LocationDeps } from '../cluster/moving/open-location.ts'
import { LOCATIONS, parsePlace, type StoreLocation } from '../cluster/moving/store-location.ts'
import { initialValues } from '../machinery/flags/flag.ts'
import { readEtcd, STORAGE_FLAGS } from '../server/options/storage.ts'
import { withEtcdOptions } from './etcd-options.ts'
import { existingFile, word, writableFile } from './option-values.ts'
import { reporting } from './report-failure.ts'
import { stderrLogger } from './stderr-logger.ts'

interface MoveFlags {
  readonly fromEncryption?: string
  readonly toEncryption?: string
  readonly etcdPrefix?: string
  readonly etcdCafile?: string
  readonly etcdCertfile?: string
  readonly etcdKeyfile?: string
}

/** `bowsprit export`: the objects of a store into one file. */
export function exportCommand(): Command {
  return withOptions(new Command('export').description('copy all objects of a store, with their revisions, into a file'))
    .argument('<from>', `the store, which no cluster may be using (${LOCATIONS})`, place)
    .argument('<file>', 'the new file', writableFile)
    .action((from: StoreLocation, file: string, flags: MoveFlags) => move('export', { from, to: { kind: 'snapshot', file } }, flags))
}

/** `bowsprit import`: the objects of a file or a store into another store. */
export function importCommand(): Command {
  return withOptions(new Command('import').description('copy all objects of a file or store into an empty store'))
    .argument('<from>', `what "bowsprit export" wrote (snapshot=FILE), or a store (${LOCATIONS})`, place)
    .argument('<to>', 'the new store (sqlite=FOLDER is the data folder of a cluster)', place)
    .action((from: StoreLocation, to: StoreLocation, flags: MoveFlags) => move('import', { from, to }, flags))
}

/** An argument that names a store. */
function place(text: string): StoreLocation {
  const found = parsePlace(word(text))
  if (found === undefined) throw new InvalidArgumentError(`names no store; give one of ${LOCATIONS}`)
  return found
}

const withOptions = (command: Command): Command =>
  withEtcdOptions(
    command
      .option('--from-encryption <file>', 'the EncryptionConfiguration of the source', existingFile)
      .option('--to-encryption <file>', 'the EncryptionConfiguration of the destination', existingFile),
  ).addOption(new Option('--etcd-servers-overrides <overrides>', 'refused: one etcd at a time').hideHelp().argParser(oneAtATime))

/** The revisions of two etcds are two counts, which one file cannot keep. */
function oneAtATime(): never {
  throw new InvalidArgumentError('one etcd is copied at a time: give its URL as etcd=URL, each into a file or an etcd of its own')
}

const move = (command: string, places: { readonly from: StoreLocation; readonly to: StoreLocation }, flags: MoveFlags): Promise<void> =>
  reporting(command, async () => {
    await using here = await placeDeps(flags.fromEncryption, flags)
    await using there = await placeDeps(flags.toEncryption, flags)
    const moved = await moveObjects(places, { from: here, to: there, progress: progressLine() })
    const revisions = moved.keptRevisions ? `with their revisions, up to ${moved.revision}` : 'under new revisions'
    console.log(`${moved.objects} objects were copied ${revisions}, and compared`)
  })

async function placeDeps(encryptionFile: string | undefined, flags: MoveFlags): Promise<LocationDeps & AsyncDisposable> {
  const deps = { clock: systemClock, random: systemRandom(), log: stderrLogger('warn') }
  const encryption = encryptionFile === undefined ? undefined : await opened(encryptionFile, deps)
  const values = {
    ...initialValues(STORAGE_FLAGS),
    'etcd-prefix': flags.etcdPrefix ?? '/registry',
    'etcd-cafile': flags.etcdCafile ?? '',
    'etcd-certfile': flags.etcdCertfile ?? '',
    'etcd-keyfile': flags.etcdKeyfile ?? '',
  }
  return {
    ...deps,
    etcd: { ...readEtcd({ values }), compactionIntervalMs: undefined },
    encryption,
    async [Symbol.asyncDispose]() {
      await encryption?.live[Symbol.asyncDispose]()
    },
  }
}

async function opened(file: string, deps: Pick<LocationDeps, 'clock' | 'log' | 'random'>) {
  const { openEncryption } = await import('../cluster/server/open-encryption.ts')
  return openEncryption({ file, reloads: false }, deps)
}

/** Shown when it takes longer than a second, and each second from then on. */
const SHOW_EVERY_MS = 1000

function progressLine(): (what: string, done: number, all: number) => void {
  let shownAtMs = systemClock.now()
  return (what, done, all) => {
    const now = systemClock.now()
    if (now - shownAtMs < SHOW_EVERY_MS) return
    shownAtMs = now
    console.error(styleText('dim', `${what}: ${done} of ${all} objects`))
  }
}
