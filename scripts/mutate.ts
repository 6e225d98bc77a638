/**
 * `npm run mutate [-- --count 200 --seed 1 --rooms src/resources,src/machinery]` (rooms are folders or files): changes one place of one
 * source at a time, and runs the unit tests that import the file. A mutant that no test notices survives; those are printed. The working
 * tree is not touched: the mutant is what the test process loads.
 */
import { spawn } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { seededRandom } from '../src/base/random.ts'
import { type Mutant, mutantsOf } from './mutation/mutants.ts'
import { testFinder } from './mutation/tests-of.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    rooms: { type: 'string', default: 'src/resources,src/machinery' },
    /** The most test files that run for a mutant: the nearest four first, the others where those pass. */
    tests: { type: 'string', default: '40' },
    jobs: { type: 'string', default: '2' },
  },
})
/** A mutant may make a loop endless. */
const LIMIT_MS = 120_000
const root = path.join(import.meta.dirname, '..')
const random = seededRandom(Number(values.seed))
const isSource = (file: string) => !/\.(test|contract|double)\.ts$|\/(types|generated)\//.test(file)
const sources = values.rooms
  .split(',')
  .flatMap((room) => globSync(room.endsWith('.ts') ? room : `${room}/**/*.ts`, { cwd: root }))
  .filter(isSource)
  .sort()
const all = sources.flatMap((file) => mutantsOf(file, readFileSync(path.join(root, file), 'utf8')))
const chosen = new Set<Mutant>()
while (chosen.size < Math.min(Number(values.count), all.length)) chosen.add(all[random.int(all.length)] as Mutant)

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-mutate-'))
const testsOf = testFinder(root)
const survivors: Mutant[] = []
const waiting = [...chosen]
await Promise.all(Array.from({ length: Number(values.jobs) }, (_, job) => work(job)))
rmSync(folder, { recursive: true })
for (const { file, line, before, after } of survivors) console.log(`${file}:${line}\n  - ${before}\n  + ${after}`)
console.log(`${survivors.length} of ${chosen.size} mutants survived (of ${all.length} in ${sources.length} files, seed ${values.seed})`)

async function work(job: number): Promise<void> {
  for (let mutant = waiting.pop(); mutant !== undefined; mutant = waiting.pop()) {
    const tests = testsOf(mutant.file, Number(values.tests))
    const source = path.join(folder, `${job}.ts`)
    writeFileSync(source, mutant.source)
    const passes = (some: readonly string[]) => some.length === 0 || pass(some, path.join(root, mutant.file), source)
    if ((await passes(tests.slice(0, 4))) && (await passes(tests.slice(4)))) survivors.push(mutant)
  }
}

/** Whether all tests pass with the mutant in place of the file. */
function pass(tests: readonly string[], file: string, source: string): Promise<boolean> {
  const args = ['--disable-warning=ExperimentalWarning', '--import', path.join(import.meta.dirname, 'mutation', 'mutate-on-load.ts')]
  const child = spawn(process.execPath, [...args, '--test', '--test-isolation=none', ...tests], {
    cwd: root,
    stdio: 'ignore',
    timeout: LIMIT_MS,
    // The test runner catches SIGTERM, and an endless loop never returns to it.
    killSignal: 'SIGKILL',
    env: { ...process.env, MUTANT_FILE: file, MUTANT_SOURCE: source, BOWSPRIT_TEST: '1' },
  })
  return new Promise((resolve) => child.on('close', (code) => resolve(code === 0)))
}
