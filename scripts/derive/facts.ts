/**
 * Writes `src/resources/facts` from Kubernetes' Go declarations, and `src/resources/generated` from them: `npm run facts`. Needs Go and its
 * module proxy.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const here = import.meta.dirname
const root = path.join(here, '..', '..')
// Go runs a program with modules only inside a module.
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-facts-'))
try {
  const go = (...words: string[]) =>
    execFileSync('go', words, { cwd: folder, stdio: 'inherit', env: { ...process.env, GOFLAGS: '-mod=mod' } })
  go('mod', 'init', 'facts')
  go('run', path.join(here, 'facts.go'), path.join(root, 'src/resources/facts'))
} finally {
  rmSync(folder, { recursive: true })
}
execFileSync('node', [path.join(root, 'scripts/prepare.mjs')], { stdio: 'inherit' })
