import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { zipSync } from 'fflate'
import type { Artefact } from './artefact.ts'

const MODULE = 'bowsprit.dev/bowsprittest'

/**
 * The Go module as a module proxy serves it (https://go.dev/ref/mod#goproxy-protocol): any web server of these files is one, as is
 * `GOPROXY=file://FOLDER`. With the tag `packages/go/vVERSION` the repository serves it too.
 */
export const goModule: Artefact = ({ root, version, folder }) => {
  const sources = path.join(root, 'packages', 'go')
  const files = readdirSync(sources).filter((name) => name === 'go.mod' || (name.endsWith('.go') && !name.endsWith('_test.go')))
  const prefix = `${MODULE}@v${version}/`
  const contents = [...files.map((name) => [name, path.join(sources, name)] as const), ['LICENSE', path.join(root, 'LICENSE')] as const]
  const entries = contents.map(([name, file]) => [`${prefix}${name}`, readFileSync(file)] as const)
  const to = path.join(folder, MODULE, '@v')
  mkdirSync(to, { recursive: true })
  // A fixed time: the same sources are the same bytes, and have the same checksum in go.sum.
  writeFileSync(path.join(to, `v${version}.zip`), zipSync(Object.fromEntries(entries), { mtime: '1980-01-01' }))
  writeFileSync(path.join(to, `v${version}.mod`), readFileSync(path.join(sources, 'go.mod')))
  writeFileSync(path.join(to, `v${version}.info`), `${JSON.stringify({ Version: `v${version}`, Time: new Date().toISOString() })}\n`)
  writeFileSync(path.join(to, 'list'), `v${version}\n`)
}
