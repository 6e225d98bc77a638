import { accessSync, constants } from 'node:fs'
import { codeOf } from '../../base/has-code.ts'
import { messageOf } from '../../base/message-of.ts'
import type { StoreErrorCode } from '../store.ts'
import type { Fault } from './protocol.ts'

/** SQLite's result codes (https://www.sqlite.org/rescode.html) that mean something to a user. */
const SQLITE_CODES: Readonly<Record<number, StoreErrorCode>> = {
  3: 'permission',
  5: 'locked',
  6: 'locked',
  8: 'permission',
  11: 'damaged',
  13: 'full',
  23: 'permission',
  26: 'damaged',
}

const SYSTEM_CODES: Readonly<Record<string, StoreErrorCode>> = {
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
  ENOSPC: 'full',
  EDQUOT: 'full',
}

/** The data is readable, but not what was written. */
export class DamageError extends Error {
  override readonly name = 'DamageError'
  readonly code = 'damaged'
}

/** Turns an exception while working on `file` into a code and a message with the cause and a remedy. `ownerOf`: the process that has it. */
export function faultOf(error: unknown, file: string, ownerOf: () => string | undefined = () => undefined): Fault {
  const why = messageOf(error)
  const code = advisedCode(error, file)
  const owner = code === 'locked' ? ownerOf() : undefined
  return { code, message: `the store ${file} ${ADVICE[code](why, owner === undefined ? 'another process' : `process ${owner}`)}` }
}

function advisedCode(error: unknown, file: string): Advised {
  if (error instanceof DamageError) return error.code
  const code = SQLITE_CODES[sqliteCode(error) ?? 0] ?? SYSTEM_CODES[codeOf(error) ?? ''] ?? SYSTEM_CODES[openingFails(file)]
  return code !== undefined && isAdvised(code) ? code : 'io'
}

function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}

/** SQLite reports only "unable to open database file": the system knows the reason. (Opening the file would drop our own locks on it.) */
function openingFails(file: string): string {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return ''
  } catch (error) {
    return codeOf(error) ?? ''
  }
}

type Advised = keyof typeof ADVICE
const isAdvised = (code: string): code is Advised => Object.hasOwn(ADVICE, code)

const ADVICE = {
  locked: (why: string, who: string) => `is in use by ${who} (${why}): stop that one first, or choose another folder`,
  permission: (why: string) =>
    `may not be written (${why}): check who owns the folder and its files, and that the disk is not mounted read-only`,
  damaged: (why: string) => `is damaged (${why}): put a backup in its place, or move the folder away to start with an empty store`,
  full: (why: string) => `cannot grow (${why}): free some disk space; nothing was written, and writing goes on as soon as there is room`,
  io: (why: string) => `cannot be read or written (${why}): check the disk and the path, then start again`,
}
