import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from '../../../base/has-code.ts'

/** Why a path inside of a volume cannot be used. */
export class SubPathError extends Error {
  override readonly name = 'SubPathError'
  readonly code = 'bad-sub-path'
}

/** Opens what is there without reading it; not among Node's constants. */
const O_PATH = 0o10000000
const OPEN_FLAGS = O_PATH | constants.O_NOFOLLOW

const inside = (root: string, at: string) => at === root || at.startsWith(`${root}/`)
/** An open file of this process under a name that leads nowhere else. */
export const nameOfHandle = (handle: FileHandle): string => `/proc/self/fd/${handle.fd}`

/**
 * Opens a part of a volume whose content pods may change at any moment: links are followed as long as they stay in the volume, then the
 * path is walked again without any. Rejects with `SubPathError` for a path that leads out. The caller closes the handle.
 */
export async function openInside(volume: string, subPath: string): Promise<FileHandle> {
  const root = await realpath(volume)
  const target = await realpath(path.join(root, subPath))
  if (!inside(root, target)) throw new SubPathError(`subpath "${target}" not within volume path "${root}"`)
  let handle = await open(root, OPEN_FLAGS)
  for (const name of path.relative(root, target).split('/').filter(Boolean)) handle = await stepInto(handle, name)
  return handle
}

async function stepInto(folder: FileHandle, name: string): Promise<FileHandle> {
  try {
    const next = await open(`${nameOfHandle(folder)}/${name}`, OPEN_FLAGS)
    if ((await next.stat()).isSymbolicLink()) {
      await next.close()
      throw new SubPathError(`unexpected symlink found ${name}`)
    }
    return next
  } finally {
    await folder.close()
  }
}

/** Makes the folders of a path in a volume that are missing; what is there already may not lead out of the volume. */
export async function makeInside(volume: string, subPath: string, mode: number): Promise<void> {
  const root = await realpath(volume)
  const names = subPath.split('/').filter((name) => name !== '' && name !== '.')
  let at = root
  for (const [i, name] of names.entries()) {
    const next = await realpath(path.join(at, name)).catch((error) => {
      if (!hasCode(error, 'ENOENT')) throw error
      return undefined
    })
    if (next === undefined) return makeBelow(at, names.slice(i), { root, mode })
    if (!inside(root, next)) throw new SubPathError(`path ${next} is outside of allowed base ${root}`)
    at = next
  }
}

async function makeBelow(
  at: string,
  names: readonly string[],
  { root, mode }: { readonly root: string; readonly mode: number },
): Promise<void> {
  let handle = await openInside(root, path.relative(root, at))
  for (const name of names) {
    await mkdir(`${nameOfHandle(handle)}/${name}`, { mode })
    handle = await stepInto(handle, name)
    const made = await open(`${nameOfHandle(handle)}/.`, constants.O_RDONLY | constants.O_DIRECTORY)
    await made.chmod(mode)
    await made.close()
  }
  await handle.close()
}
