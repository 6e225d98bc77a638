import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = path.join(import.meta.dirname, '..', '..')

test('docs/limits.md names constants that stand where it says', () => {
  const rows = readFileSync(path.join(root, 'docs/limits.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes('`src/'))
  assert.ok(rows.length > 0)
  for (const row of rows) {
    const where = row.split('|').at(-2) ?? ''
    const said = [...where.matchAll(/`([^`]+)`/g)].map((m) => m[1] ?? '')
    const files = said.filter((text) => text.endsWith('.ts'))
    for (const file of files) assert.ok(existsSync(path.join(root, file)), `${file} is not there: ${row}`)
    const source = files.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n')
    for (const name of said.filter((text) => !text.endsWith('.ts')))
      assert.match(source, new RegExp(`\\b${name}\\b`), `${files.join(', ')} has no ${name}`)
  }
})
