import { readFileSync } from 'node:fs'

/** The text of a file; undefined: it cannot be read. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
