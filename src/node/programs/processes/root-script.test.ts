import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { rootScript } from './root-script.ts'

test('what other programs remove while the root is made is left out of it', (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'root-script-'))
  t.after(() => rmSync(folder, { recursive: true }))
  // Mounting needs rights that the test may lack: a mount fails here, as one of a file that was just removed.
  const ends = (kept: string) => {
    const own = { root: path.join(folder, 'root'), uid: 0, gid: 0, workingDir: '/', environment: {}, words: ['true'] }
    const line = rootScript({ ...own, steps: [{ do: 'keep', path: kept }] })
      .split('\n')
      .find((text) => text.includes('--rbind'))
    return spawnSync('/bin/sh', ['-ec', `mount() { return 1; }\n${line}\necho made`], { encoding: 'utf8' }).stdout
  }
  assert.equal(ends(path.join(folder, 'removed')), 'made\n')
  assert.equal(ends(folder), '')
})
