import { readdir } from 'node:fs/promises'

/** The names in a folder; none if it is not there. */
export const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])
