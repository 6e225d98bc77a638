import { cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { suiteCluster } from './cluster.ts'
import { countSurefire } from './count.ts'
import { checkoutOf, Missing, type Outcome, type Peer, type PeerDeps, peerOf, type Suite } from './peer.ts'
import { runMarked } from './run-marked.ts'

export interface MavenSuite extends Suite {
  /** Its tests are only in a checkout: the repository's name, and the module of them. */
  readonly checkout: { readonly repository: string; readonly module: string }
  /** The profile that chooses the tests which need a cluster. */
  readonly profile: string
}

const BUILD_MS = 1_800_000
const TEST_MS = 2_400_000
const QUIET = ['-B', '-Dspotless.check.skip', '-Dspotless.apply.skip']

/** Integration tests of a Maven project, against a whole cluster. */
export function mavenSuite(suite: MavenSuite): Peer {
  return peerOf(suite, run)
}

async function run({ name, version, checkout, profile }: MavenSuite, deps: PeerDeps): Promise<Outcome> {
  const { repository, module } = checkout
  const from = checkoutOf(deps, repository)
  const cwd = path.join(deps.work, `${repository}-${version}`)
  if (!existsSync(cwd)) cpSync(from, cwd, { recursive: true, dereference: true })
  // Its own Maven, where it brings one: an older one may not know its plugins.
  const maven = existsSync(path.join(cwd, 'mvnw')) ? ['sh', 'mvnw'] : ['mvn']
  const call = (args: readonly string[], options: { readonly timeoutMs: number; readonly env?: Readonly<Record<string, string>> }) =>
    runMarked(maven[0] ?? 'mvn', [...maven.slice(1), ...QUIET, '-pl', module, ...args], { cwd, ...options })
  if (!existsSync(path.join(cwd, module, 'target', 'test-classes'))) {
    const built = await call(['-am', '-DskipTests', 'install'], { timeoutMs: BUILD_MS })
    if (built.code !== 0) throw new Missing(`${module} does not build: ${/^\[ERROR\] (.*)$/m.exec(built.out)?.[1] ?? ''}`)
  }
  const reports = path.join(cwd, module, 'target', 'surefire-reports')
  rmSync(reports, { recursive: true, force: true })
  await using cluster = await suiteCluster()
  const test = [`-P${profile}`, '-Dmaven.test.failure.ignore=true', 'surefire:test']
  await call(test, { timeoutMs: TEST_MS, env: { ...cluster.env, KUBERNETES_NAMESPACE: 'default' } })
  const counted = countSurefire(globSync('TEST-*.xml', { cwd: reports }).map((file) => readFileSync(path.join(reports, file), 'utf8')))
  deps.say(`${name}: ${counted.passed}/${counted.total}`)
  if (counted.total === 0) return { kind: 'missing', why: 'Maven ran no test' }
  return { kind: 'ran', ...counted }
}
