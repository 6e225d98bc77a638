import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { findRuntime } from './found-runtime.ts'
import { inNamespaces } from './in-namespaces.ts'

/**
 * Runs a file of tests with containerd in namespaces of its own, and a folder as its argument; skipped, with the reason, where that cannot
 * be.
 */
export function realTest(name: string, file: string, timeoutMs = 240_000): void {
  test(name, { timeout: timeoutMs }, async (t) => {
    const found = findRuntime()
    if ('why' in found) return t.skip(found.why)
    const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-real-'))
    try {
      assert.equal(await inNamespaces(file, [folder], t.signal), 0, 'what failed is printed above')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}
