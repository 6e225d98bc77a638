import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.join(import.meta.dirname, '..', '..')
const rows = readFileSync(path.join(root, 'docs/limits.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|') && line.includes('`src/'))

const isSource = (text: string): boolean => /\.tsx?$/.test(text)

test('docs/limits.md names constants', () => assert.ok(rows.length > 100))

for (const row of rows) {
  const cells = row.split('|').map((cell) => cell.trim())
  test(`docs/limits.md: ${cells[1]}`, () => {
    const named = [...(cells.at(-2) ?? '').matchAll(/`([^`]+)`/g)].map((m) => m[1] ?? '')
    const files = named.filter(isSource)
    for (const file of files) assert.ok(existsSync(path.join(root, file)), `${file} is not there`)
    const source = files.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n')
    for (const name of named.filter((text) => !isSource(text)))
      assert.ok(new RegExp(`\\b${name}\\b`).test(source), `${files.join(', ')} has no ${name}`)
  })
}
