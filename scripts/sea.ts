/**
 * `npm run sea [-- x64 arm64]`: programs that need no Node, in `executables/`: Node with `dist/` in it. Without words, the one of this
 * machine's processor.
 * Says how large each is and, of the one that can run here, how long a start takes (not with `--unmeasured`).
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { fetchedPackage } from './fetched-package.ts'

const root = path.join(import.meta.dirname, '..')
/** Built already, where it is named. */
const builtDist = process.env.BOWSPRIT_DIST
const dist = builtDist ?? path.join(root, 'dist')
const to = path.join(root, 'executables')
const NODES = { x64: 'node-26-x64', arm64: 'node-26-arm64' } as const
type Arch = keyof typeof NODES
const isArch = (word: string): word is Arch => word in NODES

const measured = !process.argv.includes('--unmeasured')
const words = process.argv.slice(2).filter((word) => word !== '--unmeasured')
const archs = words.length > 0 ? words : [process.arch]
for (const arch of archs) if (!isArch(arch)) throw new Error(`${arch}: there is x64 and arm64`)

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-sea-'))
try {
  if (builtDist === undefined) {
    const built = spawnSync(process.execPath, [path.join(root, 'scripts', 'build.ts')], { cwd: root, encoding: 'utf8' })
    if (built.status !== 0) throw new Error(built.stderr)
  }
  mkdirSync(to, { recursive: true })
  for (const arch of archs.filter(isArch)) {
    const file = make(arch)
    console.log(`${path.relative(root, file)}: ${mebibytes(statSync(file).size)} MiB`)
    if (measured && isOwn(arch)) await measure(file)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function make(arch: Arch): string {
  const output = path.join(to, `bowsprit-linux-${arch}`)
  const config = path.join(folder, 'sea.json')
  writeFileSync(
    config,
    JSON.stringify({
      main: path.join(root, 'packages', 'executable', 'main.cjs'),
      output,
      executable: isOwn(arch) ? process.execPath : path.join(fetchedPackage(NODES[arch]), 'bin', 'node'),
      disableExperimentalSEAWarning: true,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      assets: assets(),
    }),
  )
  // The Node that carries the files is another processor's perhaps; the one that puts them in is this one.
  const { status, stderr } = spawnSync(process.execPath, [`--build-sea=${config}`], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`node --build-sea: ${stderr}`)
  return output
}

/** What is carried, by its name below the folder that it is laid down in; `build` names that folder. */
function assets(): Record<string, string> {
  const own = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text)
    return [name, path.join(folder, name)] as const
  }
  const names = globSync('**/*', { cwd: dist, exclude: (name) => name === 'types' }).filter((name) =>
    statSync(path.join(dist, name)).isFile(),
  )
  const files = names.sort().map((name) => [name, path.join(dist, name)] as const)
  const more = [
    own('package.json', '{ "type": "module" }\n'),
    own('start.cjs', "module.exports = (file) => import(require('node:url').pathToFileURL(file))\n"),
  ]
  const hash = createHash('sha256')
  for (const [name, file] of [...files, ...more]) hash.update(`${name}\0`).update(readFileSync(file))
  return Object.fromEntries([...files, ...more, own('build', hash.digest('hex').slice(0, 16))])
}

async function measure(file: string): Promise<void> {
  const cold = await startMs(file, [])
  const warm = Math.min(await startMs(file, []), await startMs(file, []), await startMs(file, []))
  await startMs(process.execPath, [path.join(dist, 'bowsprit.js')])
  const node = Math.min(
    await startMs(process.execPath, [path.join(dist, 'bowsprit.js')]),
    await startMs(process.execPath, [path.join(dist, 'bowsprit.js')]),
  )
  console.log(`ready after ${cold} ms the first time, ${warm} ms then; with Node ${node} ms (${(warm / node).toFixed(2)} times)`)
}

/** Until the kubeconfig is written. */
async function startMs(program: string, before: readonly string[]): Promise<number> {
  const kubeconfig = path.join(folder, 'kubeconfig')
  rmSync(kubeconfig, { force: true })
  const started = performance.now()
  const flags = ['up', '--ephemeral', '--port', '0', '--until-stdin-ends', '--kubeconfig', kubeconfig]
  const env = { ...process.env, XDG_CACHE_HOME: folder, NODE_COMPILE_CACHE: path.join(folder, 'compiled') }
  const child = spawn(program, [...before, ...flags], { env, stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
    await systemClock.sleep(2)
  }
  const tookMs = Math.round(performance.now() - started)
  child.stdin?.end()
  await ended
  return tookMs
}

/** Whether this very Node can carry the files. */
function isOwn(arch: Arch): boolean {
  return arch === process.arch && process.platform === 'linux'
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024)
}
