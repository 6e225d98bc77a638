import { accessSync, constants, mkdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const own = path.join(import.meta.dirname, '..', '.cache')

/** Where scripts keep what they fetch: in the checkout, or in the user's cache folder where the checkout cannot be written. */
export function cacheFolder(): string {
  try {
    mkdirSync(own, { recursive: true })
    accessSync(own, constants.W_OK)
    return own
  } catch {
    return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'bowsprit')
  }
}
