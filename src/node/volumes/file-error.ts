/** Why a file operation failed, with the codes of `node:fs`. */
export type FileErrorCode =
  | 'ENOENT'
  | 'EEXIST'
  | 'ENOTDIR'
  | 'EISDIR'
  | 'ENOTEMPTY'
  | 'EROFS'
  | 'EBUSY'
  | 'EXDEV'
  | 'ELOOP'
  | 'EINVAL'
  | 'ENAMETOOLONG'
  | 'ENOSPC'

const TEXTS: Readonly<Record<FileErrorCode, string>> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  ENOTEMPTY: 'directory not empty',
  EROFS: 'read-only file system',
  EBUSY: 'resource busy or locked',
  EXDEV: 'cross-device link not permitted',
  ELOOP: 'too many symbolic links encountered',
  EINVAL: 'invalid argument',
  ENAMETOOLONG: 'name too long',
  ENOSPC: 'no space left on device',
}

/** A failed file operation in a container; `code`, `syscall` and `path` as in `node:fs`. */
export class FileError extends Error {
  override readonly name = 'FileError'
  readonly code: FileErrorCode
  readonly syscall: string
  readonly path: string

  constructor(code: FileErrorCode, syscall: string, path: string) {
    super(`${code}: ${TEXTS[code]}, ${syscall} '${path}'`)
    this.code = code
    this.syscall = syscall
    this.path = path
  }
}
