import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** What an artefact is made of, and where it is written. */
export interface ArtefactRequest {
  /** The checkout. */
  readonly root: string
  /** The built `dist/`. */
  readonly dist: string
  readonly version: string
  /** The web address of the repository, which registries show, and which npm's provenance is checked against. */
  readonly repository: string
  /** Where the files are written; it exists. */
  readonly folder: string
  /** An empty folder for what is only needed meanwhile. */
  readonly work: string
}

/** Makes the files of one registry, or of several that take the same kind. */
export type Artefact = (request: ArtefactRequest) => Promise<void> | void

/** Copies a package of `packages/` into the work folder: tools leave files beside its sources. */
export function stagedPackage({ root, work }: ArtefactRequest, name: string): string {
  const staged = path.join(work, name)
  cpSync(path.join(root, 'packages', name), staged, { recursive: true })
  return staged
}

/** Replaces the first match in a file; a file without it has changed since, which is an error. */
export function replaceInFile(file: string, pattern: RegExp, replacement: string): void {
  const text = readFileSync(file, 'utf8')
  if (!pattern.test(text)) throw new Error(`${file} has nothing like ${pattern}`)
  writeFileSync(
    file,
    text.replace(pattern, () => replacement),
  )
}

/** Runs a program to its end. Its output is in the error, if it fails. */
export function run(program: string, words: readonly string[], cwd: string): string {
  return execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
