// Stands in the place of a network plugin, under its name: writes down what it is asked and what the true one answers, and fails as a
// story wants. Beside it lie `real` (the folder of the true plugins), `faults.json`, and the log `calls`.
import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'

const [plugin = ''] = process.argv.slice(2)
const folder = import.meta.dirname
const stdin = readFileSync(0, 'utf8')
const { CNI_COMMAND: command = '', CNI_ARGS = '' } = process.env
const log = (row) => appendFileSync(path.join(folder, 'calls'), `${JSON.stringify({ plugin, command, ...row })}\n`)
const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => key.startsWith('CNI_')))
const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
const asked = { env, stdin: parsed(stdin) }

const fault = JSON.parse(readFileSync(path.join(folder, 'faults.json'), 'utf8'))[plugin]?.[command]
const isMeant = fault !== undefined && (fault.match === undefined || CNI_ARGS.split(';').includes(`K8S_POD_NAME=${fault.match}`))
let outcome
if (isMeant && fault.kind === 'hang') {
  log({ ...asked, fault: 'hang' })
  await new Promise((resolve) => setTimeout(resolve, fault.seconds * 1000))
} else if (isMeant)
  outcome = {
    stdout: { garbage: 'this is no JSON', error: JSON.stringify(fault.json), answer: JSON.stringify(fault.json) }[fault.kind] ?? '',
    stderr: fault.stderr ?? '',
    code: fault.code ?? 0,
  }
if (outcome === undefined) {
  const real = readFileSync(path.join(folder, 'real'), 'utf8').trim()
  const done = spawnSync(path.join(real, plugin), { input: stdin, encoding: 'utf8' })
  outcome = { stdout: done.stdout, stderr: done.stderr, code: done.status ?? 1 }
}
log({
  ...asked,
  ...(outcome.stdout !== '' && { stdout: parsed(outcome.stdout) }),
  ...(outcome.code !== 0 && { code: outcome.code }),
  ...(isMeant && { fault: fault.kind }),
})
process.stdout.write(outcome.stdout)
process.stderr.write(outcome.stderr)
process.exitCode = outcome.code
