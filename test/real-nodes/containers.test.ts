/** Pods in real containers, by containerd, runc and network plugins. Skipped where those are missing, or root. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { findRuntime } from './found-runtime.ts'
import { inNamespaces } from './in-namespaces.ts'

test('pods run in real containers', { timeout: 240_000 }, async (t) => {
  const found = findRuntime()
  if ('why' in found) return t.skip(found.why)
  assert.equal(await inNamespaces(path.join(import.meta.dirname, 'containers.ts')), 0, 'what failed is printed above')
})
