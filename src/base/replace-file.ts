import { renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Writes a file in one step, so that its readers see the old text or the new one. `mode`: default 0o600, readable by its owner only. Its
 * folder must exist. Fails as Node does, with the path that could not be written.
 */
export function replaceFile(file: string, text: string, mode = 0o600): void {
  const draft = `${file}.${process.pid}.tmp`
  // A file or link that exists under this name is replaced, never written through: another user may have made it.
  rmSync(draft, { force: true })
  writeFileSync(draft, text, { mode, flag: 'wx' })
  renameSync(draft, file)
}
