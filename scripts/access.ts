/**
 * `npm run access [-- FILE… --only TEXT …]`: plays the recorded access cases (`../shared/upstream/access`) against `bowsprit apiserver`,
 * run from this
 * checkout. FILE is a part of a file's name (default: all four); every other word goes to `run.mjs`.
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { upstream } from '../test/upstream.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    server: { type: 'string' },
    show: { type: 'string', default: '40' },
    jobs: { type: 'string' },
    json: { type: 'string' },
    kubectl: { type: 'string' },
    keep: { type: 'boolean' },
  },
})
const root = path.join(import.meta.dirname, '..')
const access = path.join(upstream, 'access')
const files = globSync('*.json', { cwd: access })
  .sort()
  .filter((f) => positionals.length === 0 || positionals.some((p) => f.includes(p)))
  .map((f) => path.join(access, f))
const options = Object.entries(values).flatMap(([name, value]) =>
  value === true ? [`--${name}`] : value === undefined ? [] : [`--${name}`, String(value)],
)
const node = `'${process.execPath}' --disable-warning=ExperimentalWarning`
const start = `exec ${node} '${path.join(root, 'src/cli/main.ts')}' apiserver {flags}`
const controllers = `exec ${node} '${path.join(root, 'src/cli/main.ts')}' controllers --kubeconfig {kubeconfig}`
const words = [path.join(access, 'run.mjs'), '--start', start, '--controllers', controllers, ...options, ...files]
const run = spawn(process.execPath, words, { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal))
run.on('exit', (code) => process.exit(code ?? 1))
