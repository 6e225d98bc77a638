import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { applyFirst, suiteCluster } from './cluster.ts'
import { countPytest } from './count.ts'
import { type Outcome, type Peer, type PeerDeps, peerOf, type Suite } from './peer.ts'
import { lastLine, mustRun, runMarked } from './run-marked.ts'

export interface PythonSuite extends Suite {
  /** The package on PyPI; its source archive holds tests. */
  readonly distribution: string
  /** What the tests need besides. */
  readonly needs: readonly string[]
  /** Arguments of pytest, run in the archive's folder. */
  readonly pytest: readonly string[]
  /** Folders that the archive lacks, copied into it from a checkout in the folder of `--sources`: a repository's name, and the folders. */
  readonly fromCheckout?: { readonly repository: string; readonly folders: readonly string[] }
  /** Files that the suite's own set-up applies to the cluster first. */
  readonly apply?: readonly string[]
}

const INSTALL_MS = 600_000
const TEST_MS = 900_000

/** A suite whose tests come with a package's source archive, run by pytest against a whole cluster. */
export function pythonSuite(suite: PythonSuite): Peer {
  return peerOf(suite, run)
}

async function run(suite: PythonSuite, deps: PeerDeps): Promise<Outcome> {
  const folder = path.join(deps.work, `${suite.name.replaceAll(' ', '-')}-${suite.version}`)
  const sources = path.join(folder, 'src')
  const python = path.join(folder, 'venv', 'bin', 'python')
  if (!existsSync(python)) await install(suite, folder)
  if (!existsSync(sources)) await unpack(suite, folder)
  const paths = [...suite.pytest, ...addFromCheckout(suite, deps, sources)]
  await using cluster = await suiteCluster()
  for (const file of suite.apply ?? []) await applyFirst(path.join(sources, file), cluster)
  const args = ['-m', 'pytest', '-q', '-rA', '--tb=no', '--show-capture=no', '-p', 'no:cacheprovider', ...paths]
  const { out, err } = await runMarked(python, args, { cwd: sources, env: cluster.env, timeoutMs: TEST_MS })
  const counted = countPytest(out)
  deps.say(`${suite.name}: ${counted.passed}/${counted.total}`)
  if (counted.total === 0) return { kind: 'missing', why: `pytest ran nothing: ${lastLine(err || out)}` }
  return { kind: 'ran', ...counted }
}

async function install({ distribution, version, needs }: PythonSuite, folder: string): Promise<void> {
  const venv = path.join(folder, 'venv')
  mkdirSync(folder, { recursive: true })
  await must('python3', ['-m', 'venv', venv])
  await must(path.join(venv, 'bin', 'pip'), ['install', '-q', `${distribution}==${version}`, 'pytest', 'pytest-timeout', ...needs])
}

async function unpack({ distribution, version }: PythonSuite, folder: string): Promise<void> {
  const pip = path.join(folder, 'venv', 'bin', 'pip')
  await must(pip, ['download', '-q', '--no-deps', '--no-binary', ':all:', `${distribution}==${version}`, '-d', folder])
  const draft = path.join(folder, 'draft')
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft)
  await must('tar', ['xzf', path.join(folder, `${distribution}-${version}.tar.gz`), '-C', draft, '--strip-components=1'])
  await must('mv', [draft, path.join(folder, 'src')])
}

function addFromCheckout({ fromCheckout }: PythonSuite, { sources }: PeerDeps, to: string): readonly string[] {
  if (fromCheckout === undefined || sources === undefined) return []
  const checkout = path.join(sources, fromCheckout.repository)
  const there = fromCheckout.folders.filter((folder) => existsSync(path.join(checkout, folder)))
  for (const folder of there) cpSync(path.join(checkout, folder), path.join(to, folder), { recursive: true })
  return there
}

const must = (program: string, args: readonly string[]) => mustRun(program, args, { timeoutMs: INSTALL_MS })
