/**
 * `npm test`: the unit tests in one process, while the programs in Go are built that tests run, and beside them the tests of the whole that
 * need none of those; then the others, in processes of their own. Arguments are files to run instead;
 * `--quick` (`npm run test:quick`) runs the unit tests of the parts that need neither sockets nor other programs.
 * A failure is shown when it happens.
 * In CI (`CI` is set) a test that was skipped is a failure, unless `test/may-be-skipped.txt` names its file and why.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cacheFolder } from './cache-folder.ts'

const root = new URL('..', import.meta.url).pathname
const requested = process.argv.slice(2)
const inCi = process.env.CI !== undefined
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-test-'))

async function run(title: string, files: readonly string[], ...options: string[]): Promise<boolean> {
  if (files.length === 0) return true
  console.log(`# ${title}: ${files.length} files`)
  const skips = path.join(folder, `${title.replaceAll(' ', '-')}.txt`)
  const reporters = [
    [inCi ? 'spec' : './scripts/dots-and-failures.mjs', 'stdout'],
    ['./scripts/skipped-tests.mjs', skips],
  ].flatMap(([reporter, to]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${to}`])
  const args = ['--disable-warning=ExperimentalWarning', '--test', ...reporters, ...options, ...files]
  // Else each of the two hundred processes compiles half of the sources again.
  const NODE_COMPILE_CACHE = path.join(cacheFolder(), 'compiled-tests')
  const env = { ...process.env, NODE_COMPILE_CACHE, BOWSPRIT_TEST: '1', BOWSPRIT_TEST_RUN: folder }
  const [status] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env }), 'exit')
  return skippedInVain(readFileSync(skips, 'utf8').split('\n')) && status === 0
}

/** Prints the tests that were skipped; false when one must not be. */
function skippedInVain(lines: readonly string[]): boolean {
  const allowed = readFileSync(path.join(root, 'test', 'may-be-skipped.txt'), 'utf8').split('\n')
  const files = new Set(allowed.filter((l) => !l.startsWith('#')).map((l) => l.split(':')[0]))
  const wrong = lines.filter((line) => line !== '' && !files.has(line.split(':')[0]))
  for (const line of wrong) console.log(`${inCi ? 'MUST NOT BE SKIPPED' : 'skipped'} ${line}`)
  return !inCi || wrong.length === 0
}

if (requested.length === 0)
  console.log('# All tests: some 15 minutes on two cores. `npm run test:quick` takes one, `npm test -- FILE…` runs some.')
const find = (pattern: string) => globSync(pattern, { cwd: root }).sort()
/** Builds the tests' programs in Go, which takes minutes where nothing is cached, beside the unit tests, which use one processor. */
function buildGoPrograms(): Promise<unknown> {
  return once(spawn(process.execPath, ['test/build-go-programs.ts'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }), 'exit')
}

/** Folders of `test` that need no programs in Go, and take about as long as the unit tests: these use one of two processors. */
const BESIDE_UNITS = ['page', 'recorded']
const OF_THE_WHOLE = ['--test-timeout=300000', '--import=./scripts/tests-without-promise-hooks.mjs']

async function runAll(): Promise<boolean> {
  const whole = find('test/**/*.test.ts')
  const beside = find(`test/{${BESIDE_UNITS.join(',')}}/**/*.test.ts`)
  const built = buildGoPrograms()
  const first = await Promise.all([
    run('units', find('src/**/*.test.ts'), '--test-isolation=none'),
    run('the whole, beside them', beside, '--test-concurrency=1', ...OF_THE_WHOLE),
  ])
  await built
  // Most of them wait half of their time.
  const rest = whole.filter((file) => !beside.includes(file))
  return (await run('the whole', rest, '--test-concurrency=4', ...OF_THE_WHOLE)) && first.every(Boolean)
}

/** Parts whose tests take less than a minute together, on two idle cores. */
const QUICK = ['base', 'machinery', 'sdk', 'storage/memory', 'tools']
const isQuick = requested[0] === '--quick'
const ok = isQuick
  ? await run('quick', find(`src/{${QUICK.join(',')}}/**/*.test.ts`), '--test-isolation=none')
  : requested.length > 0
    ? await run('asked for', requested)
    : await runAll()
rmSync(folder, { recursive: true })
process.exit(ok ? 0 : 1)
