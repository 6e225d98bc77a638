import { codeOf } from '../base/has-code.ts'
import { messageOf } from '../base/message-of.ts'

/** The messages of the C library for its errors. */
const WORDS: Readonly<Record<string, string>> = {
  E2BIG: 'Argument list too long',
  EAGAIN: 'Resource temporarily unavailable',
  ENOENT: 'No such file or directory',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  EACCES: 'Permission denied',
  EROFS: 'Read-only file system',
  EEXIST: 'File exists',
  ENOTEMPTY: 'Directory not empty',
  ENOSPC: 'No space left on device',
  EINVAL: 'Invalid argument',
  EBUSY: 'Device or resource busy',
  EXDEV: 'Invalid cross-device link',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
}

/** What a program of Linux would print of this error. */
export function wordsFor(error: unknown): string {
  return fileErrorWords(error) ?? messageOf(error)
}

/** The same, where it is an error of a file; else undefined. */
export function fileErrorWords(error: unknown): string | undefined {
  const code = codeOf(error)
  return code !== undefined && Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
}
