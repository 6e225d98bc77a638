import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { countGo } from './count.ts'
import { fetchModule } from './go-suite.ts'
import { checkoutOf, type Outcome, type Peer, type PeerDeps, peerOf, type Suite } from './peer.ts'
import { lastLine, mustRun, runMarked } from './run-marked.ts'

export interface ProjectSuite extends Suite {
  /** The module of the program that makes projects, and its main package. */
  readonly module: string
  readonly main: string
  /** Set: no registry has the module; the repository's name in the folder of `--sources`. */
  readonly checkout?: string
  /** What it is called with, one after the other, in an empty folder. */
  readonly calls: readonly (readonly string[])[]
  /** Where the project's tests with a control plane are. */
  readonly tests: string
}

const BUILD_MS = 1_800_000
const TEST_MS = 600_000

/**
 * A project that a program makes, and the project's own test as `make test` runs it (which asks the network for programs: they are given).
 */
export function projectSuite(suite: ProjectSuite): Peer {
  return peerOf(suite, run)
}

async function run(suite: ProjectSuite, deps: PeerDeps): Promise<Outcome> {
  const folder = path.join(deps.work, `${suite.name}-${suite.version}`)
  const sources = path.join(folder, 'src')
  const program = path.join(folder, suite.name)
  if (!existsSync(sources)) await bring(suite, deps, sources)
  if (!existsSync(program)) await must('go', ['build', '-o', program, suite.main], sources)
  const project = path.join(folder, 'project')
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project)
  for (const call of suite.calls) await must(program, call, project)
  await must('make', ['manifests', 'generate', 'fmt', 'vet'], project)
  const { code, out, err } = await runMarked('go', ['test', '-v', '-count=1', suite.tests], {
    cwd: project,
    env: { KUBEBUILDER_ASSETS: deps.assets },
    timeoutMs: TEST_MS,
  })
  const counted = countGo(out + err)
  deps.say(`${suite.name}: ${counted.passed}/${counted.total}`)
  if (code === 0 || counted.failed.length > 0) return { kind: 'ran', ...counted }
  return { kind: 'missing', why: `its test ended with ${code ?? 'a signal'}: ${lastLine(err || out)}` }
}

async function bring({ checkout, ...module }: ProjectSuite, deps: PeerDeps, to: string): Promise<void> {
  if (checkout === undefined) return fetchModule(module, to)
  cpSync(checkoutOf(deps, checkout), to, { recursive: true, dereference: true })
}

const must = (program: string, args: readonly string[], cwd: string) => mustRun(program, args, { cwd, timeoutMs: BUILD_MS })
