import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { AuditSink } from '../../apiserver/audit/file-backend.ts'
import { type Clock, holding } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { goFileError } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'

export interface RotationOptions {
  /** `-` is standard output. */
  readonly path: string
  /** The file is rotated before it exceeds this size; 0: never. */
  readonly mostBytes: number
  /** The most backups, and their maximum age in days; 0: no limit. */
  readonly mostBackups: number
  readonly mostDays: number
  /** Backups are compressed. */
  readonly compress: boolean
}

/** Opens the file for appending, and creates its folder. @throws {OptionsError} with kube-apiserver's message */
export function openRotatingFile(options: RotationOptions, deps: { readonly clock: Clock; readonly log: Logger }): AuditSink {
  if (options.path === '-') return { write: (text) => void process.stdout.write(text), [Symbol.dispose]() {} }
  let file = opened(options.path)
  let size = fstatSync(file).size
  return {
    write(text) {
      const bytes = Buffer.byteLength(text)
      if (options.mostBytes > 0 && size > 0 && size + bytes > options.mostBytes) {
        closeSync(file)
        renameSync(options.path, backupName(options.path, deps.clock.now()))
        file = opened(options.path)
        size = 0
        tidy(options, deps).catch((error: unknown) => deps.log.error('old audit logs cannot be put in order', { error }))
      }
      writeSync(file, text)
      size += bytes
    },
    [Symbol.dispose]: () => closeSync(file),
  }
}

function opened(file: string): number {
  try {
    makeFolder(path.dirname(file))
    return openSync(file, 'a', 0o600)
  } catch (cause) {
    throw new OptionsError('bad-file', `ensureLogFile: ${goFileError(cause, file)}`, { cause })
  }
}

/** Not Node's `recursive` option, which never ends on file systems that refuse folders. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(path.dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/** `audit.log` → `audit-2026-11-22T05-00-00.123.log` */
export function backupName(file: string, now: number): string {
  const { dir, name, ext } = path.parse(file)
  return path.join(dir, `${name}-${new Date(now).toISOString().slice(0, 23).replaceAll(':', '-')}${ext}`)
}

export interface Backup {
  readonly file: string
  readonly at: number
  readonly compressed: boolean
}

/** The backups of the log among the files of a folder, the newest first. */
export function backupsAmong(files: readonly string[], log: string): Backup[] {
  const { name, ext } = path.parse(log)
  return files
    .flatMap((file) => {
      const compressed = file.endsWith('.gz')
      const plain = compressed ? file.slice(0, -3) : file
      if (!plain.startsWith(`${name}-`) || !plain.endsWith(ext)) return []
      const m = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(plain.slice(name.length + 1, plain.length - ext.length))
      return m === null ? [] : [{ file, at: Date.parse(`${m[1]}:${m[2]}:${m[3]}Z`), compressed }]
    })
    .sort((a, b) => b.at - a.at)
}

const DAY_MS = 86_400_000

/** Which backups to delete (too many, too old) and which to compress. */
export function planBackups(backups: readonly Backup[], options: RotationOptions, now: number) {
  const kept = backups.filter(
    ({ at }, i) =>
      (options.mostBackups === 0 || i < options.mostBackups) && (options.mostDays === 0 || at >= now - options.mostDays * DAY_MS),
  )
  return {
    remove: backups.filter((b) => !kept.includes(b)).map((b) => b.file),
    compress: options.compress ? kept.filter((b) => !b.compressed).map((b) => b.file) : [],
  }
}

async function tidy(options: RotationOptions, { clock }: { readonly clock: Clock }): Promise<void> {
  const folder = path.dirname(options.path)
  const { remove, compress } = planBackups(backupsAmong(readdirSync(folder), options.path), options, clock.now())
  for (const file of remove) rmSync(path.join(folder, file), { force: true })
  for (const file of compress) {
    const from = path.join(folder, file)
    await holding(clock, 'an old audit log is compressed', () =>
      pipeline(createReadStream(from), createGzip(), createWriteStream(`${from}.gz.part`, { mode: 0o600 })),
    )
    renameSync(`${from}.gz.part`, `${from}.gz`)
    rmSync(from, { force: true })
  }
}
