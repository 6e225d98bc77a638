/** `bowsprit devices test`: a correct plugin passes, one that does not register again fails. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { testDevicePlugin, trialText } from '../../src/testing/device-plugin-trial/test-device-plugin.ts'

const root = path.join(import.meta.dirname, '..', '..')

function program(t: { after(fn: () => void): void }, code: string): readonly string[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'trial-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'plugin.ts')
  writeFileSync(file, code.replaceAll('bowsprit/device-plugin', path.join(root, 'src', 'sdk', 'device-plugin', 'public.ts')))
  return [process.execPath, '--disable-warning=ExperimentalWarning', file, '{folder}']
}

const GOOD = `
import { serveDevicePlugin } from 'bowsprit/device-plugin'
const plugin = await serveDevicePlugin(
  { resource: 'example.com/dongle', discover: () => [{ id: 'a' }, { id: 'b' }, { id: 'c' }] },
  { folder: process.argv[2] ?? '' },
)
await plugin.registered
`

test('a plugin of ten lines passes all', { timeout: 120_000 }, async (t) => {
  const report = await testDevicePlugin({ command: program(t, GOOD) })
  assert.equal(report.grade, 'A', trialText(report))
  assert.equal(report.resource, 'example.com/dongle')
  assert.ok(report.steps.length >= 9 && report.steps.every((s) => s.outcome === 'passed'), trialText(report))
})

test('a plugin that ends with its node works, and its failures are reported by name', { timeout: 120_000 }, async (t) => {
  const ends = `${GOOD}
import { existsSync } from 'node:fs'
const socket = process.argv[2] + '/kubelet.sock'
while (existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 20))
process.exit(1)
`
  const report = await testDevicePlugin({ command: program(t, ends), patienceMs: 4000 })
  assert.ok(report.grade === 'B' || report.grade === 'C', trialText(report))
  assert.match(
    trialText(report),
    /FAIL (after a restart of the node's agent it registers again|it outlives a long stop of the node's agent)/,
  )
})

test('one that never registers fails, and nothing more is tried', { timeout: 60_000 }, async () => {
  const report = await testDevicePlugin({ command: ['sleep', '60'], patienceMs: 300 })
  assert.equal(report.grade, 'F')
  assert.deepEqual([...new Set(report.steps.slice(1).map((s) => s.outcome))], ['skipped'])
})
