import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'

/** The file of this machine that a word names: a path, or a name in `PATH`. Undefined: there is none that can be run. */
export function findProgram(word: string, searched = process.env.PATH ?? ''): string | undefined {
  if (word.includes('/')) return isProgram(path.resolve(word)) ? path.resolve(word) : undefined
  return searched
    .split(path.delimiter)
    .map((folder) => path.join(folder, word))
    .find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
