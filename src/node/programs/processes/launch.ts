import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { hasCode } from '../../../base/has-code.ts'
import { quiet } from '../../../base/quiet.ts'
import { SIGNALS, signalExitCode } from '../../../shell/processes/signals.ts'
import type { ProgramOutput } from '../program.ts'
import type { ShippedProcess } from '../shipped/shipped-process.ts'
import { READY_FD } from './root-script.ts'

export interface LaunchOptions {
  readonly environment: Readonly<Record<string, string>>
  readonly workingDir: string
  /** It is made in namespaces of its own, by a script that reports when it begins. */
  readonly apart: boolean
}

/** A process of this machine that runs. */
export interface MachineProcess {
  /** Of the container's first process, as this machine counts. */
  readonly pid: number
  /** Resolves with its exit code when it has ended and all that it printed was passed on. */
  readonly exit: Promise<number>
}

/** These cannot be handled, so nothing can be passed on. */
const UNHANDLED: ReadonlySet<string> = new Set(['SIGKILL', 'SIGSTOP'])

/** Starts a process group of this machine as the process of a container: with its streams, its signals and its end. */
export async function launch(
  [file = '', ...args]: readonly string[],
  { environment, workingDir, apart }: LaunchOptions,
  container: ShippedProcess,
): Promise<MachineProcess> {
  const child = spawn(file, args, {
    env: { ...environment },
    cwd: workingDir,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...(apart ? (['pipe'] as const) : [])],
  })
  const ended = exitOf(child)
  const first = Promise.withResolvers<number>()
  // A signal that comes before the process has begun waits for it.
  for (const name of SIGNALS) if (!UNHANDLED.has(name)) container.onSignal(name, () => void first.promise.then((pid) => send(pid, name)))
  container.hold(() => killGroup(child))
  const printed = Promise.all([pump(child.stdout, container.stdout), pump(child.stderr, container.stderr)])
  if (child.stdin !== null) void quiet(pipeline(container.stdin, child.stdin), 'the program has closed its input, or has ended')
  await once(child, 'spawn')
  const exit = ended.then(async (code) => {
    // What it has left behind would keep its output open.
    killGroup(child)
    await printed
    return code
  })
  const own = child.pid ?? 0
  const pid = apart ? await firstOf(child, own) : own
  first.resolve(pid)
  return { pid, exit }
}

/** The first process of the namespaces, once their script has made everything; where it fails, the one that made them. */
async function firstOf(child: ChildProcess, own: number): Promise<number> {
  const report = child.stdio[READY_FD]
  // Not its end: `unshare` holds the other side for as long as the process runs.
  if (report instanceof Readable) for await (const _ of report) break
  const [first] = (await readFile(`/proc/${own}/task/${own}/children`, 'utf8').catch(() => '')).split(' ')
  return Number(first) || own
}

async function exitOf(child: ChildProcess): Promise<number> {
  const [code, signal] = await once(child, 'exit')
  return typeof code === 'number' ? code : signalExitCode(String(signal))
}

async function pump(from: Readable | null, to: ProgramOutput): Promise<void> {
  if (from === null) return
  try {
    for await (const chunk of from) await to.write(chunk)
  } catch (error) {
    // It was killed, and its output cut.
    if (!from.destroyed) throw error
  }
}

function killGroup({ pid, stdout, stderr, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined) return
  send(-pid, 'SIGKILL')
  if (exitCode !== null || signalCode !== null) return
  stdout?.destroy()
  stderr?.destroy()
}

function send(pid: number, signal: string): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}
