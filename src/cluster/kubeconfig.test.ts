import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { writeKubeconfig } from './kubeconfig.ts'

test('a file or link under the name of the draft does not receive the key', (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kubeconfig-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'kubeconfig')
  const others = path.join(folder, 'others')
  writeFileSync(others, 'theirs')
  symlinkSync(others, `${file}.${process.pid}.tmp`)
  writeKubeconfig(file, 'the key')
  assert.equal(readFileSync(others, 'utf8'), 'theirs')
  assert.equal(readFileSync(file, 'utf8'), 'the key')
  assert.equal(statSync(file).mode & 0o777, 0o600)
})
