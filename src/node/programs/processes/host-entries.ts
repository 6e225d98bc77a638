import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { HostEntry } from './root-plan.ts'

/** The entries of a folder of this machine; undefined: it is none, or cannot be read. */
export function hostEntries(folder: string): readonly HostEntry[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const { name } = entry
      if (entry.isSymbolicLink()) return { name, kind: 'link', target: readlinkSync(path.join(folder, name)) }
      return { name, kind: entry.isDirectory() ? 'directory' : 'file' }
    })
  } catch {
    return undefined
  }
}

/** A path of this machine without links; what is not there is left as it is. */
export function withoutLinks(at: string): string {
  try {
    return realpathSync(at)
  } catch {
    const above = path.dirname(at)
    return above === at ? at : path.join(withoutLinks(above), path.basename(at))
  }
}
