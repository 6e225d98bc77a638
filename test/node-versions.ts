import path from 'node:path'
import { fetchedPackage, NotFetchedError } from '../scripts/fetched-package.ts'

/** A Node to run programs with: fetched by npm; undefined is this one. `skip` says why it cannot be had (never in CI: there it throws). */
export function nodeProgram(version: 'node-22' | 'node-24' | undefined): { readonly program: string; readonly skip: string | false } {
  if (version === undefined) return { program: process.execPath, skip: false }
  if (process.platform !== 'linux' || process.arch !== 'x64') return { program: '', skip: 'other Nodes are fetched for linux on x64 only' }
  try {
    return { program: path.join(fetchedPackage(version), 'bin', 'node'), skip: false }
  } catch (error) {
    if (process.env.CI !== undefined || !(error instanceof NotFetchedError)) throw error
    return { program: '', skip: error.message }
  }
}
