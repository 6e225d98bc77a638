/** `csi-test`'s sanity suite, from its unmodified module, against the driver of folders. Skipped where root or Go is missing. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { goPrograms } from '../go-program.ts'
import { inNamespaces } from './in-namespaces.ts'

test('the driver of folders passes the sanity suite of CSI', { timeout: 590_000 }, async (t) => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return t.skip('mounts need Linux and root')
  const { bin, why } = await goPrograms('csi-sanity')
  if (why !== undefined) return t.skip(why)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-sanity-'))
  try {
    const file = path.join(import.meta.dirname, 'csi-sanity.ts')
    assert.equal(await inNamespaces(file, [folder, path.join(bin, 'csi-sanity')], t.signal), 0, 'what failed is printed above')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
