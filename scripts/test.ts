/**
 * `npm test`: the unit tests in one process, then the tests of the whole in processes of their own. Arguments are files to run instead.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'

const root = new URL('..', import.meta.url).pathname
const asked = process.argv.slice(2)

function run(title: string, files: readonly string[], ...options: string[]): boolean {
  if (files.length === 0) return true
  console.log(`# ${title}: ${files.length} files`)
  const reporter = process.env.CI === undefined ? 'dot' : 'spec'
  const args = ['--disable-warning=ExperimentalWarning', '--test', `--test-reporter=${reporter}`, ...options, ...files]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, BOWSPRIT_TEST: '1' } })
  return status === 0
}

const find = (pattern: string) => globSync(pattern, { cwd: root }).sort()
const ok =
  asked.length > 0
    ? run('asked for', asked)
    : [
        run('units', find('src/**/*.test.ts'), '--test-isolation=none'),
        run('the whole', find('test/**/*.test.ts'), '--test-concurrency=2', '--test-timeout=300000'),
      ].every(Boolean)
process.exit(ok ? 0 : 1)
