import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { byText } from '../../base/by-text.ts'
import { makeFolder } from '../../base/make-folder.ts'
import { replaceFile } from '../../base/replace-file.ts'
import { isObject } from '../../machinery/object.ts'
import { isSameProcess, processStart } from './process-start.ts'

/** A cluster that `bowsprit up` runs on this machine, as other commands find it. */
export interface ClusterRecord {
  readonly name: string
  readonly pid: number
  /** When the process was started, in the system's words: another process may get its number later. */
  readonly processStart: string
  readonly address: string
  readonly nodes: number
  readonly kubeconfig: string
  /** Undefined: in memory. */
  readonly dataDir?: string
  /** Whether node ports are open on this machine. */
  readonly serviceAddresses?: boolean
  /** RFC 3339. */
  readonly since: string
}

/** The clusters that run: one file for each process, in a folder below `home`. */
export class ClusterRecords {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = path.join(home, '.running')
  }

  /** Records this process' cluster until it exits. */
  add(record: Omit<ClusterRecord, 'pid' | 'processStart'>): void {
    const { pid } = process
    const file = path.join(this.#folder, `${pid}.json`)
    makeFolder(this.#folder, 0o700)
    replaceFile(file, JSON.stringify({ ...record, pid, processStart: processStart(pid) ?? '' }))
    process.once('exit', () => rmSync(file, { force: true }))
  }

  /** Those whose process is alive, by name; the files of others are removed. */
  list(): readonly ClusterRecord[] {
    const files = existsSync(this.#folder) ? readdirSync(this.#folder).filter((file) => file.endsWith('.json')) : []
    const records = files.flatMap((name) => {
      const file = path.join(this.#folder, name)
      const record = readRecord(file)
      if (record !== undefined && isSameProcess(record.pid, record.processStart)) return [record]
      rmSync(file, { force: true })
      return []
    })
    return records.sort((a, b) => byText(a.name, b.name))
  }

  find(name: string): ClusterRecord | undefined {
    return this.list().find((record) => record.name === name)
  }
}

/** Undefined: the file is gone, or was not written by this program. */
function readRecord(file: string): ClusterRecord | undefined {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isObject(record) && typeof record.pid === 'number' && typeof record.name === 'string'
      ? (record as unknown as ClusterRecord)
      : undefined
  } catch {
    return undefined
  }
}
