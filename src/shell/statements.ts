import type { AndOr, CommandNode, Pipeline, PipelineNode, Statement } from 'unbash'
import type { Frame, InnerShell } from './builtin.ts'
import { runCompound } from './compound-command.ts'
import { sinkAt } from './descriptors.ts'
import { fileErrorWords } from './file-words.ts'
import { Killed, Leaving } from './flow.ts'
import { FORK_WORK } from './processes/pacer.ts'
import { createPipe } from './processes/pipe.ts'
import { signalExitCode } from './processes/signals.ts'
import { ShellError } from './shell-state.ts'
import { runSimple } from './simple-command.ts'
import { writeText } from './texts.ts'

/** A list of statements, one after the other. */
export async function runStatements(shell: InnerShell, statements: readonly Statement[], frame: Frame): Promise<number> {
  for (const { command, background } of statements) {
    shell.signal.throwIfAborted()
    await shell.rest()
    if (background === true) await inBackground(shell, command, frame)
    else shell.state.status = await runAndOr(shell, command, frame)
    await shell.runTraps(frame)
  }
  return shell.state.status
}

/** Pipelines that depend on how those before them ended. */
export async function runAndOr(shell: InnerShell, node: PipelineNode | AndOr, frame: Frame): Promise<number> {
  if (node.type !== 'AndOr') return pipeline(shell, node, frame)
  let status = 0
  for (const [i, command] of node.commands.entries()) {
    const operator = i === 0 ? undefined : node.operators[i - 1]
    if ((operator === '&&' && status !== 0) || (operator === '||' && status === 0)) continue
    status = await pipeline(shell, command, { ...frame, requested: frame.requested || i < node.commands.length - 1 })
    shell.state.status = status
  }
  return status
}

async function pipeline(shell: InnerShell, node: PipelineNode, frame: Frame): Promise<number> {
  if (node.type !== 'Pipeline') return checked(shell, await runCommand(shell, node, frame), frame)
  const negated = node.prefixes.some((p) => p.type === 'Negation')
  const inner: Frame = negated ? { ...frame, requested: true } : frame
  const [only] = node.commands
  const began = shell.process.clock.now()
  const status = node.commands.length === 1 && only !== undefined ? await runCommand(shell, only, inner) : await piped(shell, node, inner)
  if (node.prefixes.some((p) => p.type === 'Time')) {
    const seconds = (shell.process.clock.now() - began) / 1000
    await writeText(
      sinkAt(frame.descriptors, 2),
      `real\t${Math.floor(seconds / 60)}m${(seconds % 60).toFixed(3)}s\nuser\t0m0.000s\nsys\t0m0.000s\n`,
    )
  }
  return negated ? Number(status === 0) : checked(shell, status, frame)
}

/** `set -e`. */
function checked(shell: InnerShell, status: number, { requested }: Frame): number {
  if (status !== 0 && !requested && shell.state.options.has('e')) throw new Leaving({ kind: 'exit', status })
  return status
}

/** Runs each command in a subshell, all at once. Ends when all have ended, even if one of them fails. */
async function piped(shell: InnerShell, node: Pipeline, frame: Frame): Promise<number> {
  using subshells = new DisposableStack()
  for (const _ of node.commands) subshells.use(await forked(shell, () => shell.process.container.reserve()))
  const pipes = node.commands.slice(1).map(() => createPipe())
  const ends = await Promise.allSettled(
    node.commands.map(async (command, i) => {
      const descriptors = new Map(frame.descriptors)
      const [before, after] = [pipes[i - 1], pipes[i]]
      if (before !== undefined) descriptors.set(0, { input: before.input })
      if (after !== undefined) descriptors.set(1, { sink: after.sink })
      if (after !== undefined && node.operators[i] === '|&') descriptors.set(2, { sink: after.sink })
      try {
        return await shell.fork(descriptors).runNode(command)
      } finally {
        before?.input.close()
        await after?.sink.end()
      }
    }),
  )
  const statuses = ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
  const last = statuses.at(-1) ?? 0
  return shell.state.options.has('pipefail') ? (statuses.findLast((s) => s !== 0) ?? 0) : last
}

async function inBackground(shell: InnerShell, command: PipelineNode | AndOr, frame: Frame): Promise<void> {
  const killer = new AbortController()
  const descriptors = new Map(frame.descriptors).set(0, {})
  const inner = shell.fork(descriptors, AbortSignal.any([shell.signal, killer.signal]))
  const { argv, container } = shell.process
  const tell = (signal: string) => {
    if (!inner.tell(signal)) killer.abort(new Killed(signal))
  }
  const entry = await forked(shell, () => container.enter(argv, tell))
  const done = inner
    .runNode(command)
    .catch((error: unknown) => {
      if (error instanceof Killed) return signalExitCode(`SIG${error.signal}`)
      if (shell.signal.aborted) return signalExitCode('SIGKILL')
      throw error
    })
    .finally(() => entry[Symbol.dispose]())
  shell.jobs.add(entry.pid, done)
  shell.state.lastBackground = entry.pid
  shell.state.status = 0
}

/** @throws {ShellError} when there are too many processes */
async function forked<T>({ process, signal }: InnerShell, fork: () => T): Promise<T> {
  await process.pacer.spend(FORK_WORK, signal)
  try {
    return fork()
  } catch (error) {
    const words = fileErrorWords(error)
    throw words === undefined ? error : new ShellError(`can't fork: ${words}`)
  }
}

async function runCommand(shell: InnerShell, node: CommandNode, frame: Frame): Promise<number> {
  try {
    if (node.type === 'Command') return await runSimple(shell, node, frame)
    return await runCompound(shell, node, frame)
  } catch (error) {
    if (!(error instanceof ShellError) || error.exitCode !== 1) throw error
    // What could not be opened or read is the command's fault, not the shell's end.
    await shell.complain(frame.descriptors, error.message)
    return 1
  }
}
