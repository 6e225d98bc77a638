import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const BUILD_MS = 300_000
const LOOK_MS = 200

export interface BuiltPackage {
  /** The folder of a package: `package.json` and `dist`. */
  readonly folder: string
  readonly dist: string
  readonly tarball: string
}

/**
 * The package as it is published: built and packed once per run of `npm test`, by the first test that needs it; `dist` of the checkout is
 * not changed.
 */
export function builtPackage(): BuiltPackage {
  const run = process.env.BOWSPRIT_TEST_RUN ?? mkdtempSync(path.join(os.tmpdir(), 'bowsprit-built-'))
  const folder = path.join(run, 'package')
  const built = { folder, dist: path.join(folder, 'dist'), tarball: path.join(run, 'bowsprit.tgz') }
  if (takesTurn(path.join(run, 'package.building'))) build(built, run)
  for (let waited = 0; !existsSync(path.join(run, 'package.built')); waited += LOOK_MS) {
    if (waited > BUILD_MS) throw new Error('the package was not built: the test that began to build it says why')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS)
  }
  return built
}

/** Creating a folder is atomic: only one process succeeds. */
function takesTurn(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    return false
  }
}

function build({ folder, dist, tarball }: BuiltPackage, run: string): void {
  mkdirSync(folder)
  for (const name of ['package.json', 'README.md', 'LICENSE']) cpSync(path.join(root, name), path.join(folder, name))
  execFileSync(process.execPath, [path.join(root, 'scripts', 'build.ts'), dist], { cwd: root, stdio: 'pipe' })
  const words = ['pack', '--ignore-scripts', '--silent', '--pack-destination', run]
  const packed = execFileSync('npm', words, { cwd: folder, encoding: 'utf8' }).trim()
  cpSync(path.join(run, packed), tarball)
  writeFileSync(path.join(run, 'package.built'), '')
}
