import { accessSync, constants } from 'node:fs'
import { rm } from 'node:fs/promises'
import { makeFolder } from '../base/make-folder.ts'
import { messageOf } from '../base/message-of.ts'
import { ConfigError } from './config.ts'

/**
 * Starts a cluster in its folder, or in memory. If the start fails, a folder that it created is removed: otherwise `bowsprit list` would
 * show a cluster that never ran.
 * @throws {ConfigError} if the folder cannot be written
 */
export async function startInFolder<T>(folder: string | undefined, start: () => Promise<T>): Promise<T> {
  if (folder === undefined || !isCreated(folder)) return start()
  try {
    return await start()
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Whether the folder was missing, and is there now. */
function isCreated(folder: string): boolean {
  try {
    const created = makeFolder(folder, 0o700)
    accessSync(folder, constants.W_OK)
    return created
  } catch (error) {
    throw new ConfigError(`--data-dir: ${folder} cannot be written (${messageOf(error)}): choose another folder`, { cause: error })
  }
}
