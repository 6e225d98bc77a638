/** The pages that list the package's entry points agree with package.json. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const manifest: { exports: Record<string, string | { types: string }>; scripts: Record<string, string> } = JSON.parse(read('package.json'))
const published = Object.entries(manifest.exports).flatMap(([name, files]) =>
  typeof files === 'string'
    ? []
    : [{ name: name.slice(2), source: files.types.replace('./dist/types/', 'src/').replace(/\.d\.ts$/, '.ts') }],
)

test("README's table of entry points is package.json's exports", () => {
  const listed = [...read('README.md').matchAll(/^\| `bowsprit\/([a-z-]+)` \|/gm)].map((m) => m[1] ?? '')
  assert.deepEqual(listed.sort(), published.map((entry) => entry.name).sort())
})

test('ARCHITECTURE names the source of each entry point', () => {
  const line = /^The package has these entry points: .*$/m.exec(read('ARCHITECTURE.md'))?.[0] ?? ''
  const listed = [...line.matchAll(/`(src\/[\w/-]+\.ts)`/g)].map((m) => m[1] ?? '')
  assert.deepEqual(listed.sort(), published.map((entry) => entry.source).sort())
})

for (const page of ['README.md', 'CONTRIBUTING.md', 'test/README.md'])
  test(`${page} names only npm scripts that exist`, () => {
    const named = [...read(page).matchAll(/npm run (?:-s )?([a-z][a-z-]*)/g)].map((m) => m[1] ?? '')
    assert.deepEqual(
      named.filter((name) => manifest.scripts[name] === undefined),
      [],
    )
  })

test('CONTRIBUTING names only files that exist', () => {
  const named = [...read('CONTRIBUTING.md').matchAll(/`((?:src|test|bench|scripts)\/[\w./-]*\w)`/g)].map((m) => m[1] ?? '')
  const missing = named.filter((file) => {
    try {
      return !read(file)
    } catch (error) {
      return !(error instanceof Error && 'code' in error && error.code === 'EISDIR')
    }
  })
  assert.deepEqual(missing, [])
})
