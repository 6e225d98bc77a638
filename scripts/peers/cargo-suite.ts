import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { suiteCluster } from './cluster.ts'
import { type Counted, countCargo, sumOf } from './count.ts'
import { Missing, type Outcome, type Peer, type PeerDeps, peerOf, type Suite } from './peer.ts'
import { lastLine, runMarked } from './run-marked.ts'

/** A crate of the suite's version. */
export interface Crate {
  readonly name: string
  /** What its tests are built with. */
  readonly features: readonly string[]
  /** A crate of the same version that its tests use: what is beside it in its repository is left out when it is published. */
  readonly testsUse?: { readonly name: string; readonly features: readonly string[] }
}

export interface CargoSuite extends Suite {
  /** The tests that need a cluster are those that the crates ignore. */
  readonly crates: readonly Crate[]
}

const BUILD_MS = 2_400_000
const TEST_MS = 600_000

/** Crates from crates.io, whose ignored tests are run against a whole cluster. */
export function cargoSuite(suite: CargoSuite): Peer {
  return peerOf(suite, run)
}

async function run(suite: CargoSuite, deps: PeerDeps): Promise<Outcome> {
  const folder = path.join(deps.work, `${suite.name}-${suite.version}`)
  const env = { CARGO_TARGET_DIR: path.join(folder, 'target') }
  const parts: { name: string; counted: Counted }[] = []
  for (const crate of suite.crates) {
    const cwd = path.join(folder, crate.name)
    if (!existsSync(cwd)) await fetchCrate(crate, suite.version, cwd)
    const args = ['test', '--lib', `--features=${crate.features.join(',')}`]
    const built = await runMarked('cargo', [...args, '--no-run'], { cwd, env, timeoutMs: BUILD_MS })
    if (built.code !== 0) throw new Missing(`${crate.name} does not build: ${lastLine(built.err)}`)
    await using cluster = await suiteCluster()
    const { out } = await runMarked('cargo', [...args, '--', '--ignored'], { cwd, env: { ...env, ...cluster.env }, timeoutMs: TEST_MS })
    const counted = countCargo(out)
    deps.say(`${suite.name} ${crate.name}: ${counted.passed}/${counted.total}`)
    parts.push({ name: crate.name, counted })
  }
  return { kind: 'ran', ...sumOf(parts) }
}

/** The crate's sources, as cargo keeps them once a project has asked for it. */
async function fetchCrate({ name: crate, testsUse }: Crate, version: string, to: string): Promise<void> {
  const asking = path.join(path.dirname(to), `asks-for-${crate}`)
  rmSync(asking, { recursive: true, force: true })
  mkdirSync(path.join(asking, 'src'), { recursive: true })
  writeFileSync(path.join(asking, 'src', 'lib.rs'), '')
  writeFileSync(
    path.join(asking, 'Cargo.toml'),
    `[package]\nname = "asks"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\n${crate} = "=${version}"\n`,
  )
  const { code, err } = await runMarked('cargo', ['vendor', '--quiet', 'vendored'], { cwd: asking, timeoutMs: BUILD_MS })
  if (code !== 0) throw new Missing(lastLine(err) || 'the crate cannot be had')
  cpSync(path.join(asking, 'vendored', crate), to, { recursive: true })
  // The authors' lock may name what this machine's registry does not have yet.
  for (const name of ['.cargo-checksum.json', 'Cargo.lock']) rmSync(path.join(to, name), { force: true })
  if (testsUse !== undefined) {
    const features = testsUse.features.map((feature) => `"${feature}"`).join(', ')
    const table = `[dev-dependencies.${testsUse.name}]\nversion = "=${version}"\ndefault-features = false\nfeatures = [${features}]\n`
    appendFileSync(path.join(to, 'Cargo.toml'), `\n${table}`)
  }
  rmSync(asking, { recursive: true, force: true })
}
