import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { suiteCluster } from './cluster.ts'
import { type Counted, sumOf } from './count.ts'
import { checkoutOf, Missing, type Outcome, type Peer, type PeerDeps, peerOf, type Suite } from './peer.ts'
import { lastLine, runMarked } from './run-marked.ts'

export interface JavaScriptSuite extends Suite {
  /** The package on npm. */
  readonly npm: string
  /** Its tests are only in a checkout: the repository's name, the folder, and the modules whose default export is a test. */
  readonly checkout: { readonly repository: string; readonly folder: string; readonly tests: readonly string[] }
  /** Modules of the package that the tests import from beside themselves. */
  readonly modules: readonly string[]
}

const INSTALL_MS = 300_000
const TEST_MS = 120_000
const RUN_ONE = `const test = await import(process.argv[2])
try { await test.default(); console.log('PASSED'); process.exit(0) } catch (error) { console.log(String(error?.message ?? error)); process.exit(1) }
`

/** Tests of a checkout against the package as npm has it and a whole cluster. */
export function javascriptSuite(suite: JavaScriptSuite): Peer {
  return peerOf(suite, run)
}

async function run(suite: JavaScriptSuite, deps: PeerDeps): Promise<Outcome> {
  const { repository, folder, tests } = suite.checkout
  const there = checkoutOf(deps, repository, folder)
  const cwd = path.join(deps.work, `${suite.name.replaceAll(' ', '-')}-${suite.version}`)
  await lay(suite, there, cwd)
  await using cluster = await suiteCluster()
  const parts: { name: string; counted: Counted }[] = []
  for (const name of tests) {
    const module = `./${folder}/${name}.ts`
    const { code, out } = await runMarked(process.execPath, ['--import', 'tsx', 'run-one.ts', module], {
      cwd,
      env: cluster.env,
      timeoutMs: TEST_MS,
    })
    const failed = code === 0 ? [] : [lastLine(out)]
    deps.say(`${suite.name} ${name}: ${code === 0 ? 'passed' : failed[0]}`)
    parts.push({ name, counted: { passed: 1 - failed.length, total: 1, failed } })
  }
  return { kind: 'ran', ...sumOf(parts) }
}

async function lay(suite: JavaScriptSuite, tests: string, to: string): Promise<void> {
  mkdirSync(path.join(to, 'src'), { recursive: true })
  writeFileSync(path.join(to, 'package.json'), '{"type":"module","private":true}\n')
  const { code, err } = await runMarked('npm', ['install', '--silent', '--no-audit', '--no-fund', `${suite.npm}@${suite.version}`, 'tsx'], {
    cwd: to,
    timeoutMs: INSTALL_MS,
  })
  if (code !== 0) throw new Missing(lastLine(err) || 'npm cannot have the package')
  cpSync(tests, path.join(to, suite.checkout.folder), { recursive: true })
  for (const name of suite.modules)
    writeFileSync(path.join(to, 'src', `${name}.ts`), `export * from '../node_modules/${suite.npm}/dist/${name}.js'\n`)
  writeFileSync(path.join(to, 'run-one.ts'), RUN_ONE)
}
