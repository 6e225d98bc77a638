/**
 * `npm run artefacts [-- FOLDER] [--only npm,python,maven,go,oci,executables] [--repository URL]`: makes everything that a publisher
 * uploads, of what is checked out, into a folder (default: `.cache/artefacts`): a subfolder for each kind, `SHA256SUMS` of all files, and
 * `PUBLISH.md`, which has the command for each. Publishes nothing.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Artefact } from './artefacts/artefact.ts'
import { executables } from './artefacts/executables.ts'
import { goModule } from './artefacts/go-module.ts'
import { mavenRepository } from './artefacts/maven.ts'
import { npmTarballs } from './artefacts/npm.ts'
import { ociImage } from './artefacts/oci-image.ts'
import { publishingPage } from './artefacts/publishing-page.ts'
import { pythonDistributions } from './artefacts/python.ts'

const KINDS: Readonly<Record<string, Artefact>> = {
  npm: npmTarballs,
  python: pythonDistributions,
  maven: mavenRepository,
  go: goModule,
  oci: ociImage,
  executables,
}

const root = path.join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', default: Object.keys(KINDS).join(',') }, repository: { type: 'string', default: origin() } },
})
const to = path.resolve(positionals[0] ?? path.join(root, '.cache', 'artefacts'))
const wanted = values.only.split(',')
const unknown = wanted.find((kind) => !Object.hasOwn(KINDS, kind))
if (unknown !== undefined) throw new Error(`--only: there is no ${JSON.stringify(unknown)}; there are ${Object.keys(KINDS).join(', ')}`)
if (!/^https:\/\/\S+$/.test(values.repository))
  throw new Error('--repository: registries want the https:// address of the public repository, and git has no such origin')

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string }
const dist = path.resolve(process.env.BOWSPRIT_DIST ?? builtDist())
for (const kind of wanted) {
  const folder = path.join(to, kind)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(path.join(os.tmpdir(), `bowsprit-${kind}-`))
  try {
    await KINDS[kind]?.({ root, dist, version, repository: values.repository, folder, work })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  console.log(`${kind}: ${globSync('*', { cwd: folder }).sort().join(', ')}`)
}
writeFileSync(path.join(to, 'PUBLISH.md'), publishingPage(version))
writeFileSync(path.join(to, 'SHA256SUMS'), sums())
console.log(`all is in ${to}; PUBLISH.md says how each is uploaded`)

function builtDist(): string {
  execFileSync(process.execPath, [path.join(root, 'scripts', 'build.ts')], { cwd: root, stdio: 'inherit' })
  return path.join(root, 'dist')
}

/** The https address of git's origin; empty without one. */
function origin(): string {
  try {
    const url = execFileSync('git', ['remote', 'get-url', 'origin'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
    return url.replace(/^git@([^:]+):/, 'https://$1/').replace(/\.git$/, '')
  } catch {
    return ''
  }
}

/** As `sha256sum -c` reads them. */
function sums(): string {
  const names = globSync('**/*', { cwd: to }).filter((name) => name !== 'SHA256SUMS' && statSync(path.join(to, name)).isFile())
  const line = (name: string) =>
    `${createHash('sha256')
      .update(readFileSync(path.join(to, name)))
      .digest('hex')}  ${name}\n`
  return names.sort().map(line).join('')
}
