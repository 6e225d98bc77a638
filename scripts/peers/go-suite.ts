import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { applyFirst, suiteCluster } from './cluster.ts'
import { type Counted, countGo, sumOf } from './count.ts'
import { Missing, type Outcome, type Peer, type PeerDeps, peerOf, type Suite } from './peer.ts'
import { lastLine, runMarked } from './run-marked.ts'

/** A package of a module, and what it is built and run with. */
export interface GoPackage {
  readonly folder: string
  readonly tags?: string
  /** Not a control plane of its own, but `KUBECONFIG` of an API server where this folder of definitions was applied. */
  readonly definitions?: string
}

export interface GoSuite extends Suite {
  readonly module: string
  readonly packages: readonly (string | GoPackage)[]
}

const BUILD_MS = 1_800_000
const TEST_MS = 600_000
/** The suite's own time limit is the shorter one: its report names where it hung. */
const TEST_TIMEOUT = '-test.timeout=580s'

/** A suite from the Go module proxy: each package is built, and run in its folder with `KUBEBUILDER_ASSETS`. */
export function goSuite(suite: GoSuite): Peer {
  return peerOf(suite, run)
}

async function run(suite: GoSuite, deps: PeerDeps): Promise<Outcome> {
  const folder = path.join(deps.work, `${suite.name}-${suite.version}`)
  const sources = path.join(folder, 'src')
  if (!existsSync(sources)) await fetchModule(suite, sources)
  const parts: { name: string; counted: Counted }[] = []
  for (const given of suite.packages) {
    const pkg = typeof given === 'string' ? { folder: given } : given
    const name = [pkg.folder, ...(pkg.tags === undefined ? [] : [pkg.tags])].join(' ')
    const program = path.join(folder, `${name.replaceAll(/[/ ]/g, '_')}.test`)
    if (!existsSync(program)) await build(pkg, { sources, program })
    const counted = await runPackage(pkg, program, { sources, assets: deps.assets })
    deps.say(`${suite.name} ${name}: ${counted.passed}/${counted.total}`)
    parts.push({ name, counted })
  }
  return { kind: 'ran', ...sumOf(parts) }
}

async function build({ folder, tags }: GoPackage, to: { readonly sources: string; readonly program: string }): Promise<void> {
  const args = ['test', '-vet=off', ...(tags === undefined ? [] : [`-tags=${tags}`]), '-c', '-o', to.program, `./${folder}`]
  const { code, err } = await runMarked('go', args, { cwd: to.sources, timeoutMs: BUILD_MS })
  if (code !== 0) throw new Missing(`${folder} does not build: ${lastLine(err)}`)
}

async function runPackage(
  { folder, definitions }: GoPackage,
  program: string,
  { sources, assets }: { readonly sources: string; readonly assets: string },
): Promise<Counted> {
  await using cluster = definitions === undefined ? undefined : await suiteCluster(['server'])
  if (cluster !== undefined) await applyFirst(path.join(sources, definitions ?? ''), cluster)
  const found = Object.fromEntries(
    ['etcd', 'kube-apiserver', 'kubectl'].map((name) => [`TEST_ASSET_${name.replace('-', '_').toUpperCase()}`, path.join(assets, name)]),
  )
  const { code, out, err } = await runMarked(program, ['-test.v', TEST_TIMEOUT], {
    cwd: path.join(sources, folder),
    env: { KUBEBUILDER_ASSETS: assets, ...found, ...cluster?.env },
    timeoutMs: TEST_MS,
  })
  const counted = countGo(out + err)
  if (code === 0 || counted.failed.length > 0) return counted
  return { ...counted, total: counted.total + 1, failed: [`ended with ${code ?? 'a signal'}: ${lastLine(err) || lastLine(out)}`] }
}

/** A module's sources, as the proxy has them, to be written in. @throws {Missing} */
export async function fetchModule({ module, version }: { readonly module: string; readonly version: string }, to: string): Promise<void> {
  const { code, out, err } = await runMarked('go', ['mod', 'download', '-json', `${module}@${version}`], { timeoutMs: BUILD_MS })
  if (code !== 0) throw new Missing(err.split('\n')[0] ?? 'the module cannot be had')
  const { Dir } = JSON.parse(out) as { Dir: string }
  mkdirSync(path.dirname(to), { recursive: true })
  cpSync(Dir, to, { recursive: true })
  for (const file of globSync('**/*', { cwd: to, withFileTypes: true })) {
    const full = path.join(file.parentPath, file.name)
    const runs = file.isDirectory() || (file.isFile() && readFileSync(full).subarray(0, 2).toString() === '#!')
    chmodSync(full, runs ? 0o755 : 0o644)
  }
}
