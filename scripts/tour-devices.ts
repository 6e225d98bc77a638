/**
 * `npm run tour -- devices`: the extended-resource tutorial from end to end, with the real kubectl, on a cluster that is started for it.
 * Prints each command with its output, and fails when one step is not as it should be.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify, styleText } from 'node:util'
import { startCluster } from '../src/cluster/start-cluster.ts'
import { kubectlPath } from './clients.ts'

const run = promisify(execFile)
const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-tour-'))
const kubeconfig = path.join(folder, 'kubeconfig')
const kubectl = kubectlPath()
const NODE = 'node-1'
const SHORT_BY_ONE =
  '0/1 nodes are available: 1 Insufficient example.com/dongle. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.'

interface Output {
  readonly code: number
  readonly text: string
}

let faults = 0

function say(command: string): void {
  console.log(`\n${styleText('green', '$')} ${styleText('bold', command)}`)
}

/** Holds the output against what has to be in it (or must not). */
function check(
  output: Output,
  wanted: { readonly code?: number; readonly has?: readonly (string | RegExp)[]; readonly hasNot?: readonly string[] },
): void {
  const complaints = [
    ...(output.code === (wanted.code ?? 0) ? [] : [`exit status ${output.code}, expected ${wanted.code ?? 0}`]),
    ...(wanted.has ?? [])
      .filter((w) => (typeof w === 'string' ? !output.text.includes(w) : !w.test(output.text)))
      .map((w) => `missing: ${w}`),
    ...(wanted.hasNot ?? []).filter((w) => output.text.includes(w)).map((w) => `should not be there: ${w}`),
  ]
  for (const complaint of complaints) console.log(styleText('red', `✗ ${complaint}`))
  if (complaints.length > 0) faults++
}

async function kubectlOutput(args: readonly string[]): Promise<Output> {
  try {
    const { stdout, stderr } = await run(kubectl, [...args], {
      cwd: folder,
      env: { ...process.env, KUBECONFIG: kubeconfig },
      timeout: 60_000,
    })
    return { code: 0, text: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: number; stdout?: string; stderr?: string }
    return { code: typeof code === 'number' ? code : 1, text: `${stdout ?? ''}${stderr ?? ''}` }
  }
}

/** Runs kubectl, prints the command and what it says, and checks that. */
async function step(args: string, wanted: Parameters<typeof check>[1] = {}): Promise<Output> {
  say(`kubectl ${args}`)
  const output = await kubectlOutput(args.split(' '))
  process.stdout.write(output.text)
  check(output, wanted)
  return output
}

/** Repeats a command until it says what is wanted (10 s at most), then runs it as a step. */
async function eventually(args: string, wanted: { readonly has: readonly (string | RegExp)[] }): Promise<void> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const { text } = await kubectlOutput(args.split(' '))
    if (wanted.has.every((w) => (typeof w === 'string' ? text.includes(w) : w.test(text))) || Date.now() > deadline) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await step(args, wanted)
}

const pointer = (resource: string) => `/status/capacity/${resource.replace('/', '~1')}`

/** The tutorial's PATCH through `kubectl proxy`. */
async function patchNode(
  proxy: string,
  ops: readonly object[],
  wanted: Parameters<typeof check>[1],
  type = 'application/json-patch+json',
): Promise<void> {
  const url = `${proxy}/api/v1/nodes/${NODE}/status`
  const body = JSON.stringify(ops)
  say(`curl --request PATCH --header 'Content-Type: ${type}' --data '${body}' ${url}`)
  const response = await fetch(url, { method: 'PATCH', headers: { 'content-type': type }, body })
  const answer = (await response.json()) as { kind: string; message?: string; status: { capacity?: unknown } }
  const text =
    answer.kind === 'Status' ? JSON.stringify(answer, undefined, 2) : JSON.stringify({ capacity: answer.status.capacity }, undefined, 2)
  console.log(text)
  check({ code: response.ok ? 0 : response.status, text }, wanted)
}

function pod(
  name: string,
  requests: Readonly<Record<string, string>>,
  limits: Readonly<Record<string, string>> | undefined = requests,
): string {
  const amounts = (o: Readonly<Record<string, string>>) =>
    Object.entries(o)
      .map(([k, v]) => `        ${k}: ${v}\n`)
      .join('')
  const file = `${name}.yaml`
  writeFileSync(
    path.join(folder, file),
    `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  containers:
  - name: ${name}-ctr
    image: nginx
    resources:
      requests:
${amounts(requests)}${Object.keys(limits).length === 0 ? '' : `      limits:\n${amounts(limits)}`}`,
  )
  return file
}

async function startProxy(): Promise<{ readonly address: string; stop(): void }> {
  say('kubectl proxy')
  const child = spawn(kubectl, ['proxy', '--port=0'], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of child.stdout) {
    process.stdout.write(line)
    const port = /127\.0\.0\.1:(\d+)/.exec(String(line))?.[1]
    if (port !== undefined) return { address: `http://127.0.0.1:${port}`, stop: () => child.kill() }
  }
  throw new Error('kubectl proxy ended')
}

async function tour(): Promise<void> {
  await eventually('get nodes -o wide', { has: [/node-1 +Ready/, 'v1.36.3'] })
  await step(`describe node ${NODE}`, { has: ['Capacity:', 'Allocatable:', 'KubeletReady', 'System Info:'] })
  const proxy = await startProxy()
  try {
    const dongle = pointer('example.com/dongle')
    await patchNode(proxy.address, [{ op: 'add', path: dongle, value: '4' }], { has: ['"example.com/dongle": "4"'] })
    await eventually(`get node ${NODE} -o jsonpath={.status.allocatable}`, { has: ['"example.com/dongle":"4"'] })
    await step(`apply -f ${pod('extended-resource-demo', { 'example.com/dongle': '3' })}`, { has: ['pod/extended-resource-demo created'] })
    await eventually('get pod extended-resource-demo', { has: [/1\/1 +Running/] })
    await eventually('describe pod extended-resource-demo', {
      has: [/Limits:\s+example.com\/dongle: +3/, /Requests:\s+example.com\/dongle: +3/, 'Scheduled', 'Pulled', 'Created', 'Started'],
    })
    await step(`apply -f ${pod('extended-resource-demo-2', { 'example.com/dongle': '2' })}`, { has: ['created'] })
    await eventually('describe pod extended-resource-demo-2', { has: [/PodScheduled +False/, 'FailedScheduling', SHORT_BY_ONE] })
    await step('get pod extended-resource-demo-2', { has: [/0\/1 +Pending/] })
    await step('delete pod extended-resource-demo', { has: ['deleted'] })
    await eventually('get pod extended-resource-demo-2', { has: [/1\/1 +Running/] })
    await step('delete pod extended-resource-demo-2 --now', { has: ['deleted'] })
    await patchNode(proxy.address, [{ op: 'remove', path: dongle }], { hasNot: ['dongle'] })
    await eventually(`get node ${NODE} -o jsonpath={.status.allocatable}`, { has: [/^((?!dongle).)*$/s] })
    await step(`describe node ${NODE}`, { hasNot: ['dongle'] })

    const storage = pointer('example.com/special-storage')
    await patchNode(proxy.address, [{ op: 'add', path: storage, value: '800Gi' }], { has: ['"example.com/special-storage": "800Gi"'] })
    await eventually(`get node ${NODE} -o jsonpath={.status.allocatable}`, { has: ['"example.com/special-storage":"800Gi"'] })
    await step(`apply -f ${pod('special-storage', { 'example.com/special-storage': '500Gi' })}`, { has: ['created'] })
    await eventually('get pod special-storage', { has: [/1\/1 +Running/] })
    await step('delete pod special-storage --force', { has: ['deleted'] })

    const foo = 'pod.alpha.kubernetes.io/opaque-int-resource-foo'
    await patchNode(proxy.address, [{ op: 'add', path: pointer(foo), value: '5' }], { has: [`"${foo}": "5"`] })
    await eventually(`get node ${NODE} -o jsonpath={.status.allocatable}`, { has: [`"${foo}":"5"`] })
    await step(`apply -f ${pod('opaque', { cpu: '2', [foo]: '1' }, {})}`, { has: ['created'] })
    await eventually('get pod opaque', { has: [/1\/1 +Running/] })

    console.log(styleText('bold', '\nWhat must be refused is refused:'))
    await patchNode(proxy.address, [{ op: 'add', path: dongle, value: '4.5' }], { code: 422, has: ['must be an integer'] })
    await patchNode(proxy.address, [{ op: 'remove', path: dongle }], {
      code: 422,
      has: ['the server rejected our request due to an error in our request'],
    })
    await patchNode(proxy.address, [], { code: 415, has: ['Unsupported Media Type'] }, 'text/plain')
    await step(`apply -f ${pod('broken', { 'example.com/dongle': '1500m' })}`, { code: 1, has: ['must be an integer'] })
    await step(`apply -f ${pod('unequal', { 'example.com/dongle': '2' }, { 'example.com/dongle': '3' })}`, {
      code: 1,
      has: ['must be equal to example.com/dongle limit of 3'],
    })
    await step(`apply -f ${pod('limitless', { 'example.com/dongle': '2' }, {})}`, {
      code: 1,
      has: ['Limit must be set for non overcommitable resources'],
    })
    await step(`apply -f ${pod('unqualified', { dongle: '1' })}`, { code: 1, has: ['must be a standard resource type or fully qualified'] })
    await step('get node no-such-node', { code: 1, has: ['nodes "no-such-node" not found'] })
  } finally {
    proxy.stop()
  }
}

const started = performance.now()
const cluster = await startCluster({ ephemeral: true, port: 0, kubeconfig })
console.log(styleText('bold', `A cluster is up at ${cluster.address} after ${Math.round(performance.now() - started)} ms.`))
try {
  await tour()
} finally {
  await cluster[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
}
console.log(
  faults === 0
    ? styleText('green', '\nThe tour is complete: every step was as it should be.')
    : styleText('red', `\n${faults} steps were not as they should be.`),
)
process.exit(faults === 0 ? 0 : 1)
