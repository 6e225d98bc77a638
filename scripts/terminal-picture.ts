/**
 * `npm run picture`: plays the first minute in a terminal, and draws what it printed into `docs/images/terminal.svg`: each command with its
 * output, one after the other. No service, no recorder: kubectl and bowsprit are run, and their text is drawn.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { kubectlPath } from './clients.ts'
import { type TerminalStep, terminalSvg } from './terminal-picture/terminal-svg.ts'

const root = path.join(import.meta.dirname, '..')
const COMMANDS = [
  'kubectl create deployment web --image=nginx --replicas=2',
  'kubectl wait --for=condition=Available deployment/web',
  'kubectl get pods',
  `kubectl run db --image=postgres --overrides='{"spec": {"nodeSelector": {"disk": "ssd"}}}'`,
  'bowsprit why pod db | head -n 1',
]
const LOOK_MS = 50

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-picture-'))
const kubeconfig = path.join(folder, 'kubeconfig')
const main = [process.execPath, '--disable-warning=ExperimentalWarning', path.join(root, 'src', 'cli', 'main.ts')]
for (const [name, words] of [
  ['bowsprit', main],
  ['kubectl', [kubectlPath('36')]],
] as const)
  writeFileSync(path.join(folder, name), `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`, { mode: 0o755 })
const env = { ...process.env, KUBECONFIG: kubeconfig, PATH: `${folder}:${process.env.PATH}` }

const up = spawn(
  path.join(folder, 'bowsprit'),
  ['up', '--ephemeral', '--port', '0', '--nodes', '2', '--no-page', '--kubeconfig', kubeconfig, '--until-stdin-ends'],
  {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  },
)
try {
  let said = ''
  up.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  while (!existsSync(kubeconfig) || !said.includes('Ctrl-C')) await systemClock.sleep(LOOK_MS)
  const steps: TerminalStep[] = [{ command: 'npx bowsprit up --nodes 2 &', output: firstLines(said) }]
  for (const command of COMMANDS) steps.push({ command, output: lines(execFileSync('bash', ['-c', command], { env, encoding: 'utf8' })) })
  writeFileSync(path.join(root, 'docs', 'images', 'terminal.svg'), terminalSvg(steps))
  console.log(`docs/images/terminal.svg: ${readFileSync(path.join(root, 'docs', 'images', 'terminal.svg')).length} bytes`)
} finally {
  up.stdin.end()
  rmSync(folder, { recursive: true, force: true })
}

function lines(text: string): readonly string[] {
  return text.trimEnd().split('\n')
}

/** Without paths, ports and times, which are others each time. */
function firstLines(text: string): readonly string[] {
  return lines(text.replace(/, ready in .*/, '')).filter((line) => /is up|nodes|storage/.test(line))
}
