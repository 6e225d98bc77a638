import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { cliPage } from '../../scripts/cli-page.ts'

const root = path.join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const PAGES = globSync('{*.md,docs/**/*.md}', { cwd: root }).sort()

/** The targets of the links of a page that lead to a file of the repository, without what follows `#`. Code has no links. */
const linked = (page: string) =>
  [
    ...read(page)
      .replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '')
      .matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))

for (const page of PAGES)
  test(`${page}: its links lead to files`, () => {
    const missing = linked(page).filter((target) => !existsSync(path.join(root, path.dirname(page), target)))
    assert.deepEqual(missing, [])
  })

test('docs/README.md lists every page of docs', () => {
  const listed = new Set(linked('docs/README.md'))
  const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md').map((page) => path.relative('docs', page))
  assert.deepEqual(
    pages.filter((page) => !listed.has(page)),
    [],
  )
})

test('README.md is read in one go: it has at most 120 lines', () => {
  assert.ok(read('README.md').trimEnd().split('\n').length <= 120)
})

test('docs/cli.md describes the commands as they are: npm run docs writes it', async () => {
  assert.equal(read('docs/cli.md'), await cliPage())
})
