import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { runProgram } from '../../test/run-program.ts'
import type { Outcome, Peer, PeerDeps } from './peer.ts'

export interface GoSuite {
  readonly name: string
  readonly module: string
  readonly version: string
  readonly what: string
  readonly packages: readonly string[]
  readonly tags?: string
  readonly known?: Readonly<Record<string, string>>
}

const BUILD_MS = 1_200_000
const TEST_MS = 600_000

/** A suite from the Go module proxy: each package is built, and run in its folder with `KUBEBUILDER_ASSETS`. */
export function goSuite(suite: GoSuite): Peer {
  const { name, version, what, known = {} } = suite
  return { name, version, what, known, run: (deps) => run(suite, deps) }
}

async function run(suite: GoSuite, { assets, work, say }: PeerDeps): Promise<Outcome> {
  const folder = path.join(work, `${suite.name}-${suite.version}`)
  const sources = path.join(folder, 'src')
  const missing = existsSync(sources) ? undefined : await fetchModule(suite, sources)
  if (missing !== undefined) return { kind: 'missing', why: missing }
  const sum = { passed: 0, total: 0, failed: [] as string[] }
  for (const pkg of suite.packages) {
    const program = path.join(folder, `${[pkg, suite.tags ?? ''].join('-').replaceAll('/', '_')}.test`)
    if (!existsSync(program)) {
      const tags = suite.tags === undefined ? [] : [`-tags=${suite.tags}`]
      const built = await runProgram('go', ['test', '-vet=off', ...tags, '-c', '-o', program, `./${pkg}`], {
        cwd: sources,
        timeoutMs: BUILD_MS,
      })
      if (built.code !== 0) return { kind: 'missing', why: `${pkg} does not build: ${built.err.split('\n')[0]}` }
    }
    const env = { KUBEBUILDER_ASSETS: assets, TEST_ASSET_KUBECTL: path.join(assets, 'kubectl') }
    const { out, err } = await runProgram(program, ['-test.v', '-test.timeout=550s'], {
      cwd: path.join(sources, pkg),
      env,
      timeoutMs: TEST_MS,
    })
    const result = countTests(out + err)
    say(`${suite.name} ${pkg}: ${result.passed}/${result.total}`)
    sum.passed += result.passed
    sum.total += result.total
    sum.failed.push(...result.failed.map((title) => `${pkg}: ${title}`))
  }
  return { kind: 'ran', ...sum }
}

async function fetchModule({ module, version }: GoSuite, to: string): Promise<string | undefined> {
  const { code, out, err } = await runProgram('go', ['mod', 'download', '-json', `${module}@${version}`], { timeoutMs: BUILD_MS }).catch(
    () => ({
      code: 1,
      out: '',
      err: 'Go is not here',
    }),
  )
  if (code !== 0) return err.split('\n')[0] ?? 'the module cannot be had'
  const { Dir } = JSON.parse(out) as { Dir: string }
  mkdirSync(path.dirname(to), { recursive: true })
  cpSync(Dir, to, { recursive: true })
  for (const file of globSync('**/*', { cwd: to, withFileTypes: true })) {
    const full = path.join(file.parentPath, file.name)
    const runs = file.isDirectory() || (file.isFile() && readFileSync(full).subarray(0, 2).toString() === '#!')
    chmodSync(full, runs ? 0o755 : 0o644)
  }
  return undefined
}

const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** What ginkgo or `go test -v` says of itself at the end; ginkgo's count goes before that of the one Go test that holds it. */
export function countTests(said: string): { readonly passed: number; readonly total: number; readonly failed: readonly string[] } {
  const text = said.replace(ESCAPES, '')
  const ginkgo = [...text.matchAll(/(\d+) Passed \| (\d+) Failed \|/g)]
  if (ginkgo.length > 0) {
    const passed = ginkgo.reduce((sum, m) => sum + Number(m[1]), 0)
    const total = passed + ginkgo.reduce((sum, m) => sum + Number(m[2]), 0)
    const failed = [...text.matchAll(/^ {2}\[(?:FAIL|PANICKED!|TIMEDOUT)\] (.*)$/gm)].map((m) => m[1] ?? '')
    return { passed, total, failed: [...new Set(failed)] }
  }
  const of = (verdict: string) => [...text.matchAll(new RegExp(`^ *--- ${verdict}: (\\S+)`, 'gm'))].map((m) => m[1] ?? '')
  const [passed, failed] = [of('PASS'), of('FAIL')]
  return { passed: passed.length, total: passed.length + failed.length, failed }
}
