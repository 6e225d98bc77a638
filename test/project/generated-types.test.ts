import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { generatedTypes } from '../../scripts/derive/types.ts'

const root = path.join(import.meta.dirname, '..', '..')

function formatted(file: string, text: string): string {
  const args = ['scripts/lint.ts', 'check', '--write', `--stdin-file-path=src/${file}`]
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, input: text, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

for (const [file, text] of generatedTypes())
  test(`src/${file} is what the facts and definitions give: run "npm run generate"`, () => {
    assert.ok(readFileSync(path.join(root, 'src', file), 'utf8') === formatted(file, text), `src/${file} is out of date`)
  })
