/**
 * `node scripts/page-pictures.ts`: makes the pictures of docs/page.md again, which are taken by the tests that walk the views. Look at each
 * of them before you commit it.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** The pictures of the documentation, and what tests call them. */
const PICTURES = {
  'page-overview': 'overview-light',
  'page-object': 'object-light',
  'page-request': 'mutated-light',
  'page-why': 'why-fork',
  'page-lab': 'lab',
  'page-workbench': 'workbench-light',
  'page-editor': 'edit-fault-light',
  'page-machine': 'machine-light',
  'page-trial': 'trial-light',
  'page-shell': 'shell-light',
}
const TESTS = ['page', 'webhooks', 'why', 'workbench', 'editor', 'machine', 'trials', 'streams']

const root = path.join(import.meta.dirname, '..')
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-pictures-'))
const files = TESTS.map((name) => path.join('test', 'page', `${name}.test.ts`))
execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=1', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, BOWSPRIT_SCREENSHOTS: folder },
})
for (const [name, taken] of Object.entries(PICTURES))
  copyFileSync(path.join(folder, `${taken}.png`), path.join(root, 'docs', 'images', `${name}.png`))
rmSync(folder, { recursive: true })
