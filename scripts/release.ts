/**
 * `npm run release -- VERSION [--dry-run]`: makes a release of what is checked out. Writes the version (package.json, package-lock.json,
 * src/base/version.ts), dates the
 * section "Unreleased" of CHANGELOG.md, commits, and makes an annotated tag with the section as its text, and one for the Go module. Pushes
 * nothing.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { planRelease } from './plan-release.ts'

const root = path.join(import.meta.dirname, '..')
const FILES = ['package.json', 'package-lock.json', 'src/base/version.ts', 'CHANGELOG.md'] as const
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean', default: false } } })
const plan = planRelease({
  version: positionals[0] ?? '',
  date: new Date().toISOString().slice(0, 10),
  branch: git('branch', '--show-current'),
  isClean: git('status', '--porcelain') === '',
  tags: git('tag', '--list').split('\n'),
  files: Object.fromEntries(FILES.map((file) => [file, readFileSync(path.join(root, file), 'utf8')])),
})
if (plan.kind === 'refused') {
  console.error(plan.reasons.join('\n'))
  process.exitCode = 1
} else if (values['dry-run']) console.log(`${plan.tag}\n\n${plan.notes}`)
else {
  for (const [file, text] of Object.entries(plan.files)) writeFileSync(path.join(root, file), text)
  git('commit', '--quiet', '--message', `release: ${plan.tag}`, '--', ...Object.keys(plan.files))
  git('tag', '--annotate', plan.tag, '--message', `${plan.tag}\n\n${plan.notes}`)
  // Where Go looks for the version of a module in a subfolder.
  git('tag', '--annotate', `packages/go/${plan.tag}`, '--message', `${plan.tag} of the Go module`)
  console.log(`${plan.tag} is committed and tagged; npm run artefacts makes what is uploaded; push with: git push --follow-tags`)
}
