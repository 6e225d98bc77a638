/**
 * `npm run lint` and `npm run format`: biome, fetched when it is first used, and the width of comments in the files that differ from main
 * (all others are counted
 * by test/project/house-rules.test.ts).
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fetchedPackage } from './fetched-package.ts'
import { COMMENT_COLUMNS, wideComments, wrapComments } from './wrap-comments.ts'

const root = path.join(import.meta.dirname, '..')
const words = process.argv.slice(2)

/** TypeScript files that differ from main or are new. None where there is no main to compare with. */
function touchedFiles(): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const differing = git('diff', '--name-only', '--diff-filter=d', '--merge-base', 'main', '--', '*.ts')
    return `${differing}${git('ls-files', '--others', '--exclude-standard', '--', '*.ts')}`.split('\n').filter((file) => file !== '')
  } catch {
    return []
  }
}

function checkComments(files: readonly string[]): boolean {
  const wide = files.flatMap((file) => wideComments(readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}:${line}`))
  for (const at of wide) console.error(`${at}: a comment wider than ${COMMENT_COLUMNS} columns (npm run format wraps it)`)
  return wide.length === 0
}

function wrapAll(files: readonly string[]): void {
  for (const file of files) {
    const text = readFileSync(path.join(root, file), 'utf8')
    if (wideComments(text).length > 0) writeFileSync(path.join(root, file), wrapComments(text))
  }
}

if (words.includes('--write')) wrapAll(touchedFiles())
const biome = path.join(fetchedPackage('biome'), 'bin', 'biome')
const { status } = spawnSync(process.execPath, [biome, ...words], { stdio: 'inherit' })
const comments = words.includes('--write') || checkComments(touchedFiles())
process.exitCode = comments ? (status ?? 1) : 1
