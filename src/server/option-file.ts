import { type LiveText, liveFile } from '../base/live-text.ts'
import { OptionsError } from './options-error.ts'

/** Go's messages for a file that cannot be opened. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  EROFS: 'read-only file system',
}

/** The content of an option's file, read now; the error is Go's (`open FILE: no such file or directory`), formatted by `says`. */
export function optionFile(file: string, says: (error: string) => string = (error) => error): LiveText {
  try {
    return liveFile(file)
  } catch (error) {
    throw new OptionsError('bad-file', says(goFileError(error, file)), { cause: error })
  }
}

/** Go's message for a failed call: `open FILE: no such file or directory`. */
export function goFileError(error: unknown, file: string): string {
  if (!(error instanceof Error)) return String(error)
  const { code = '', syscall = 'open', path = file } = error as NodeJS.ErrnoException
  return REASONS[code] === undefined ? error.message : `${syscall} ${path}: ${REASONS[code]}`
}
