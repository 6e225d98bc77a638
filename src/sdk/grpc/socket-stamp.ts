import { statSync } from 'node:fs'

/** Distinguishes a socket from a later one at the same path; undefined: there is none. */
export function socketStamp(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.ino} ${stat.ctimeMs}`
}
