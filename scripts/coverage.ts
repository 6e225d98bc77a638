/**
 * `npm run coverage [-- --whole] [--write] [FILE…]`: which branches of `src/` the tests take, by room, as Node counts them. Unit tests
 * alone by default; `--whole` adds those of
 * `test/`, as far as they run in this process tree. `--write` puts the table into docs/testing-bowsprit.md. The full report, by line, is
 * left in `.cache/coverage.lcov`.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { coverageByRoom, coverageTable } from './coverage-by-room.ts'

const root = path.join(import.meta.dirname, '..')
const report = path.join(root, '.cache', 'coverage.lcov')
const page = path.join(root, 'docs', 'testing-bowsprit.md')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { whole: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
})
const patterns = values.whole ? ['src/**/*.test.ts', 'test/**/*.test.ts'] : ['src/**/*.test.ts']
const files = positionals.length > 0 ? positionals : globSync(patterns, { cwd: root }).sort()
mkdirSync(path.dirname(report), { recursive: true })
const options = ['--disable-warning=ExperimentalWarning', '--test', '--experimental-test-coverage', '--test-coverage-include=src/**/*.ts']
const reporters = [
  '--test-reporter=dot',
  '--test-reporter-destination=stderr',
  '--test-reporter=lcov',
  `--test-reporter-destination=${report}`,
]
const isolation = values.whole ? ['--test-concurrency=2', '--test-timeout=300000'] : ['--test-isolation=none']
const { status } = spawnSync(process.execPath, [...options, ...reporters, ...isolation, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, BOWSPRIT_TEST: '1' },
})
const table = coverageTable(coverageByRoom(readFileSync(report, 'utf8')))
console.log(table)
if (values.write) {
  const text = readFileSync(page, 'utf8')
  writeFileSync(page, text.replace(/(?<=<!-- coverage -->\n)[\s\S]*?(?=<!-- \/coverage -->)/, `${table}\n`))
}
process.exitCode = status ?? 1
