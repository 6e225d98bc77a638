import { mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Creates a folder and its missing parents. Fails as Node does, with the path that could not be created. (`mkdir` with `recursive` retries
 * for ever where a folder cannot be created although its parent exists: `/proc`.) Returns whether the folder was missing.
 */
export function makeFolder(folder: string, mode?: number): boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory()) return false
  if (found !== undefined)
    throw Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${folder}'`), { code: 'ENOTDIR', syscall: 'mkdir', path: folder })
  const above = path.dirname(folder)
  if (above !== folder) makeFolder(above, mode)
  try {
    mkdirSync(folder, mode)
    return true
  } catch (error) {
    // Another process creates it at the same time.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error
    return false
  }
}
