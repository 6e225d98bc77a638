/**
 * Packages that only some tests or scripts need, and that are large: installed when they are asked for, into `.cache/packages`, from the
 * npm registry, as `fetched-packages.json` names them (a word of ours → package and exact version). `npm ci` stays small, and a second use
 * finds them there.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { cacheFolder } from './cache-folder.ts'
import specs from './fetched-packages.json' with { type: 'json' }

export type FetchedPackage = keyof typeof specs

/** Why a package cannot be had: the registry is out of reach, and it is not in the cache. */
export class NotFetchedError extends Error {
  override readonly name = 'NotFetchedError'
  readonly code = 'not-fetched'
}

const root = path.join(import.meta.dirname, '..')
const cache = path.join(cacheFolder(), 'packages')

/**
 * The folder of the package: in `node_modules` when it is there in that version, else in the cache, where it is put first if need be.
 * @throws {NotFetchedError} when it is in neither and the registry does not give it
 */
export function fetchedPackage(what: FetchedPackage): string {
  const spec = specs[what]
  const at = spec.lastIndexOf('@')
  const [name, version] = [spec.slice(0, at), spec.slice(at + 1)]
  const own = path.join(root, 'node_modules', name)
  if (versionAt(own) === version) return own
  const home = path.join(cache, spec.replace('/', '+'))
  if (!existsSync(home)) install(spec, home)
  return path.join(home, 'node_modules', name)
}

function versionAt(folder: string): string | undefined {
  const file = path.join(folder, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version : undefined
}

/** Into a draft first: the final name is always complete, also when several install at once. */
function install(spec: string, home: string): void {
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(`${home}.`)
  try {
    writeFileSync(path.join(draft, 'package.json'), '{ "private": true }\n')
    // By force: what is for another processor is fetched too.
    const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--force', '--loglevel=error', spec]
    const { status, stderr, error } = spawnSync('npm', words, { cwd: draft, encoding: 'utf8' })
    if (status !== 0) throw new NotFetchedError(`${spec} cannot be fetched from the npm registry: ${error?.message ?? stderr.trim()}`)
    renameSync(draft, home)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Somebody else was faster.
    if (!existsSync(home)) throw error
  }
}
