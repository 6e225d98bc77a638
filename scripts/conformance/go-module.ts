import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const VERSION = 'v1.36.3'
const LIBRARIES = 'v0.36.3'

/** What is built for conformance runs lies here, and is kept. */
export const CONFORMANCE_CACHE = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'bowsprit-e2e')

let isReady = false

/**
 * A program that is built once: a package of the module in `suite`, or of Kubernetes' own. `command`: `build`, or `test -c`.
 * @throws {Error} when it cannot be built, with Go's words
 */
export function goProgram(name: string, source: string, command: readonly string[] = ['build']): string {
  const built = path.join(CONFORMANCE_CACHE, 'bin', name)
  if (existsSync(built)) return built
  console.log(`building ${name} (once, some minutes)`)
  prepareModule()
  runOrThrow('go', [...command, '-ldflags=-s -w', '-o', built, source], CONFORMANCE_CACHE)
  return built
}

/** Where the source of a package lies. */
export function sourceFolder(name: string): string {
  prepareModule()
  return runOrThrow('go', ['list', '-f', '{{.Dir}}', name], CONFORMANCE_CACHE).trim()
}

function prepareModule(): void {
  if (isReady) return
  cpSync(path.join(import.meta.dirname, 'suite'), CONFORMANCE_CACHE, { recursive: true })
  const go = (...args: string[]) => runOrThrow('go', args, CONFORMANCE_CACHE)
  // Kubernetes' own module takes its libraries from its own tree: outside of it they are named one by one.
  const { GoMod } = JSON.parse(go('mod', 'download', '-json', `k8s.io/kubernetes@${VERSION}`)) as { GoMod: string }
  const staged = readFileSync(GoMod, 'utf8').matchAll(/^\s*(k8s\.io\/[a-z0-9-]+) => \.\/staging/gm)
  go('mod', 'edit', `-require=k8s.io/kubernetes@${VERSION}`, ...[...staged].map(([, name]) => `-replace=${name}=${name}@${LIBRARIES}`))
  go('mod', 'tidy')
  isReady = true
}

export function runOrThrow(program: string, args: readonly string[], cwd: string): string {
  mkdirSync(cwd, { recursive: true })
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${path.basename(program)} ${args[0]}: ${error?.message ?? stderr.slice(-2000)}`)
  return stdout
}
