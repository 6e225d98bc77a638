/**
 * `npm run tour`: walks through docs/getting-started.md in a cluster of two nodes. Enter goes on to the next command; `--no-wait` does not
 * wait, nor does a tour without a terminal. Ends with 1 when a command prints anything else than the page shows.
 * `npm run tour -- devices` is the extended-resource tutorial.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs, styleText } from 'node:util'
import { startCluster } from '../src/cluster/start-cluster.ts'
import { installPrograms, type PageStep, pageSections, stableOutput } from './walked-page.ts'

/** Resolves with the exit code. */
async function tour(waits: boolean): Promise<number> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-tour-'))
  const input = waits ? createInterface(process.stdin, process.stdout) : undefined
  const started = performance.now()
  const cluster = await startCluster({ ephemeral: true, port: 0, nodes: 2 })
  console.log(styleText('bold', `A cluster of two nodes is up at ${cluster.address} after ${Math.round(performance.now() - started)} ms.`))
  try {
    const kubeconfig = path.join(folder, 'kubeconfig')
    writeFileSync(kubeconfig, cluster.kubeconfig())
    const environment = { ...installPrograms(folder), KUBECONFIG: kubeconfig }
    let different = 0
    for (const { heading, parts } of pageSections('getting-started.md')) {
      console.log(`\n${styleText(['bold', 'underline'], heading)}\n`)
      for (const part of parts) {
        if (typeof part === 'string') console.log(`${proseOf(part)}\n`)
        else if (!(await isAsShown(part, folder, environment, input))) different++
      }
    }
    return end(different)
  } finally {
    input?.close()
    await cluster[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Input = { question(text: string): Promise<string> }

async function isAsShown({ script, shown }: PageStep, folder: string, env: NodeJS.ProcessEnv, input: Input | undefined): Promise<boolean> {
  console.log(styleText('green', script.trimEnd().replaceAll(/^/gm, '  ')))
  await input?.question(styleText('dim', '  Enter runs it. '))
  const output = await outputOf(script, folder, env)
  if (stableOutput(output) === stableOutput(shown)) return true
  console.log(styleText('red', `✖ The page shows:\n${shown}`))
  return false
}

/** Runs the script, and prints what it prints. */
function outputOf(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', `exec 2>&1\n${script}`], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      process.stdout.write(text)
    })
    child.on('error', reject)
    child.on('close', () => {
      console.log()
      resolve(output)
    })
  })
}

/** Markdown as a terminal shows it: links are their texts. */
const proseOf = (markdown: string) => markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\*\*|`/g, '')

function end(different: number): number {
  if (different > 0) console.log(styleText('red', `${different} commands printed something else than the page shows.`))
  else console.log(styleText('green', 'The tour is complete. docs/README.md lists what else there is.'))
  return different === 0 ? 0 : 1
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'no-wait': { type: 'boolean', default: false } } })
if (positionals[0] === 'devices') await import('./tour-devices.ts')
else process.exitCode = await tour(process.stdin.isTTY === true && !values['no-wait'])
