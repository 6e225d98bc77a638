import path from 'node:path'
import { fetchedPackage } from '../../scripts/fetched-package.ts'
import { fetched } from '../fetched.ts'

/** A Node to run programs with: downloaded by npm; undefined is this one. `skip`: why it is not available. */
export function nodeProgram(version: 'node-22' | 'node-24' | undefined): { readonly program: string; readonly skip: string | false } {
  if (version === undefined) return { program: process.execPath, skip: false }
  if (process.platform !== 'linux' || process.arch !== 'x64') return { program: '', skip: 'other Nodes are fetched for linux on x64 only' }
  const skip = fetched(version)
  return skip === false ? { program: path.join(fetchedPackage(version), 'bin', 'node'), skip } : { program: '', skip }
}
