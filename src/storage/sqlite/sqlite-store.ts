import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Clock, holding } from '../../base/clock.ts'
import { Engine, type EngineConfig } from '../engine.ts'
import { Keyspace } from '../keyspace.ts'
import { unpack } from '../packed-records.ts'
import { replay } from '../replay.ts'
import { type LocalStore, type Revision, StoreError } from '../store.ts'
import type { FromWorker, WorkerConfig } from './protocol.ts'
import { SqliteJournal } from './sqlite-journal.ts'

export interface SqliteConfig extends EngineConfig {
  /** Created if it does not exist. One process at a time can use it. */
  readonly folder: string
  /** Commits fail with `full` when the file would grow beyond this; undefined: the disk is the limit. */
  readonly maxFileBytes?: number
}

export interface SqliteDeps {
  readonly clock: Clock
}

/** A store in a file that survives `kill -9` and the loss of power. */
export interface SqliteStore extends LocalStore {
  readonly folder: string
}

/**
 * Opens a store in a folder, and reads the keys that live in it. Fails with a `StoreError`: `locked` (another process has it; a dead one
 * never does), `damaged`, `permission`, `full` or `io`.
 */
export async function openSqliteStore(config: SqliteConfig, deps: SqliteDeps): Promise<SqliteStore> {
  const workerData: WorkerConfig = { folder: path.resolve(config.folder), maxFileBytes: config.maxFileBytes }
  const worker = new Worker(workerUrl(), { workerData, name: 'store', execArgv: ['--disable-warning=ExperimentalWarning'] })
  const { keyspace, garbage } = await holding(deps.clock, 'opening the store', () => load(worker))
  return new SqliteEngine(config, deps, { worker, keyspace, garbage })
}

class SqliteEngine extends Engine implements SqliteStore {
  readonly folder: string

  constructor(config: SqliteConfig, deps: SqliteDeps, { worker, keyspace, garbage }: Loaded & { worker: Worker }) {
    super(config, {
      clock: deps.clock,
      keyspace,
      openJournal: (listener) => {
        const journal = new SqliteJournal(worker, listener, deps.clock)
        if (garbage.length > 0) journal.forget(keyspace.compacted, garbage)
        return journal
      },
    })
    this.folder = config.folder
  }
}

/** The worker is beside this file: as source, or bundled as an entry point of its own. */
function workerUrl(): URL {
  const here = new URL(import.meta.url)
  return new URL(`./sqlite-worker${path.extname(here.pathname)}`, here)
}

interface Loaded {
  readonly keyspace: Keyspace
  /** What a compaction left behind when the process died. */
  readonly garbage: readonly Revision[]
}

async function load(worker: Worker): Promise<Loaded> {
  const answer = Promise.withResolvers<Loaded>()
  let keyspace = new Keyspace()
  const garbage: Revision[] = []
  const hear = (message: FromWorker) => {
    try {
      if (message.kind === 'found') keyspace = new Keyspace(message.compacted)
      else if (message.kind === 'rows') for (const record of unpack(message.records)) replay(record, keyspace, garbage)
      else if (message.kind === 'opened') answer.resolve({ keyspace, garbage })
      else if (message.kind === 'refused') answer.reject(new StoreError(message.fault.code, message.fault.message))
    } catch (error) {
      answer.reject(error)
    }
  }
  const crash = (error: Error) =>
    answer.reject(new StoreError('io', `the store's writer did not start: ${error.message}`, { cause: error }))
  const exit = () => answer.reject(new StoreError('io', "the store's writer ended while the store was being opened"))
  worker.on('message', hear).on('error', crash).on('exit', exit)
  try {
    return await answer.promise
  } catch (error) {
    await worker.terminate()
    throw error
  } finally {
    worker.off('message', hear).off('error', crash).off('exit', exit)
  }
}
