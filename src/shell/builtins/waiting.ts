import { onAbort } from '../../base/on-abort.ts'
import type { Builtin, RunningShell } from '../builtin.ts'
import { sinkAt } from '../descriptors.ts'
import { isSignal, SIGNALS, signalName } from '../processes/signals.ts'
import { ShellError } from '../shell-state.ts'
import { writeText } from '../texts.ts'

/** A trap's signal came while it waited: above 128, as POSIX has it. */
const INTERRUPTED = 143

/** A signal by name or number, without `SIG`; `EXIT` is 0. */
function readSignal(word: string): string {
  const name = signalName(word)
  if (name === 'SIG0' || name === 'SIGEXIT') return 'EXIT'
  if (!isSignal(name)) throw new ShellError(`${word}: invalid signal specification`, 1)
  return name.slice(3)
}

async function waitFor(shell: RunningShell, pid: number): Promise<number | undefined> {
  const signal = shell.interrupted
  return shell.jobs.wait(pid, async (done) => {
    const interrupted = Promise.withResolvers<number>()
    using _ = onAbort(signal, () => interrupted.resolve(INTERRUPTED))
    return await Promise.race([interrupted.promise, done])
  })
}

/** Processes in the background, and signals. */
export const waiting: Readonly<Record<string, Builtin>> = {
  wait: async (shell, args) => {
    const requested = args.length === 0 ? shell.jobs.pids : args.map((a) => Number(a.replace(/^%/, '')))
    let status = 0
    for (const pid of requested) status = (await waitFor(shell, pid)) ?? 127
    shell.signal.throwIfAborted()
    return args.length === 0 && status !== INTERRUPTED ? 0 : status
  },
  jobs: async (shell, _, { descriptors }) => {
    for (const pid of shell.jobs.pids) await writeText(sinkAt(descriptors, 1), `${pid}\n`)
    return 0
  },
  kill: async ({ process }, args, { descriptors }) => {
    const words = [...args]
    let signal = 'TERM'
    if (words[0] === '-l') {
      await writeText(sinkAt(descriptors, 1), `${SIGNALS.map((name) => name.slice(3)).join(' ')}\n`)
      return 0
    }
    if (words[0] === '-s') signal = readSignal(words.splice(0, 2)[1] ?? '')
    else if (/^-\w/.test(words[0] ?? '')) signal = readSignal((words.shift() ?? '').slice(1))
    for (const word of words) {
      const there = /^\d{1,9}$/.test(word) && (signal === 'EXIT' || process.container.send(Number(word), signal))
      if (!there) throw new ShellError(`can't kill pid ${word}: No such process`, 1)
    }
    return 0
  },
  trap: async ({ state }, args, { descriptors }) => {
    const [action, ...names] = args[0] === '--' ? args.slice(1) : args
    if (action === undefined) {
      for (const [signal, text] of state.traps)
        await writeText(sinkAt(descriptors, 1), `trap -- '${text.replaceAll("'", "'\\''")}' ${signal}\n`)
      return 0
    }
    for (const name of names.length === 0 ? [action] : names) {
      const signal = readSignal(name)
      if (action === '-' || names.length === 0) state.traps.delete(signal)
      else state.traps.set(signal, action)
    }
    return 0
  },
}
