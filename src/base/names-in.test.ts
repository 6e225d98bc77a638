import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { namesIn } from './names-in.ts'
import { readText } from './read-text.ts'

test('an absent folder has no names, and an absent file no text', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'names-in-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(path.join(folder, 'file'), 'text')
  assert.deepEqual(await namesIn(folder), ['file'])
  assert.deepEqual(await namesIn(path.join(folder, 'absent')), [])
  assert.equal(readText(path.join(folder, 'file')), 'text')
  assert.equal(readText(path.join(folder, 'absent')), undefined)
})
