import path from 'node:path'
import { Killed } from './flow.ts'
import { createScriptReader } from './script-reader.ts'
import type { Shell } from './shell.ts'
import { writeText } from './texts.ts'

/** An interactive shell: it prompts, continues after failures, and `Ctrl-C` ends the line, not the shell. */
export async function talk(shell: Shell): Promise<number> {
  const { process, state } = shell
  let line = new AbortController()
  process.catchSignals((signal) => {
    if (signal !== 'INT' && signal !== 'QUIT') return shell.tell(signal)
    if (!shell.tell(signal)) line.abort(new Killed(signal))
    return true
  })
  const reader = createScriptReader(process.stdin, (goesOn) =>
    writeText(process.stderr, goesOn ? (state.get('PS2') ?? '> ') : prompt(shell)),
  )
  return shell.main(async () => {
    for (;;) {
      line = new AbortController()
      const next = await shell.line(line.signal, async () => {
        const text = await reader.next(shell.signal)
        if (text === undefined) return END
        return shell.runText(text, shell.frame)
      })
      if (next === END) break
      state.status = next
      if (line.signal.aborted) await writeText(process.stderr, '\n')
    }
    await writeText(process.stderr, '\n')
    return state.status
  })
}

/** No exit code. */
const END = -1

/** `PS1` with the escapes that shells share; without one, as busybox' shell and bash prompt. */
function prompt({ process, state }: Shell): string {
  const root = process.container.user.uid === 0
  const home = state.get('HOME')
  const short = state.directory === home && home !== '/' ? '~' : state.directory
  const host = process.container.hostname
  const user = root ? 'root' : String(process.container.user.uid)
  const bash = path.posix.basename(process.argv[0] ?? '') === 'bash'
  const template = state.get('PS1') ?? (bash ? '\\u@\\h:\\w\\$ ' : '\\w \\$ ')
  const words: Record<string, string> = {
    u: user,
    h: host,
    H: host,
    w: short,
    W: path.posix.basename(short),
    $: root ? '#' : '$',
    n: '\n',
    '\\': '\\',
  }
  return template.replace(/\\(.)/g, (whole, c: string) => (Object.hasOwn(words, c) ? (words[c] ?? whole) : whole))
}
