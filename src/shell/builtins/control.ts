import path from 'node:path'
import type { Builtin } from '../builtin.ts'
import { sinkAt } from '../descriptors.ts'
import { Leaving } from '../flow.ts'
import { resolvePath } from '../paths.ts'
import { ShellError } from '../shell-state.ts'
import { testWords } from '../test-expression.ts'
import { writeText } from '../texts.ts'

function number(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (!/^-?\d{1,9}$/.test(text)) throw new ShellError(`Illegal number: ${text}`)
  return Number(text)
}

const status = (text: string | undefined, last: number) => number(text, last) & 255

/** What `test` returns for words that are no expression. */
const NOT_AN_EXPRESSION = 2

const test: Builtin = async (shell, args, { descriptors }) => {
  try {
    return Number(!(await testWords(args, shell.context(descriptors))))
  } catch (error) {
    if (!(error instanceof ShellError)) throw error
    await writeText(sinkAt(descriptors, 2), `${shell.state.name}: ${error.message}\n`)
    return NOT_AN_EXPRESSION
  }
}

/** What leads from one command to another. */
export const control: Readonly<Record<string, Builtin>> = {
  ':': async () => 0,
  true: async () => 0,
  false: async () => 1,
  test,
  '[': async (shell, args, frame) => {
    if (args.at(-1) === ']') return test(shell, args.slice(0, -1), frame)
    await writeText(sinkAt(frame.descriptors, 2), `${shell.state.name}: [: missing ]\n`)
    return NOT_AN_EXPRESSION
  },
  exit: async ({ state }, [code]) => {
    throw new Leaving({ kind: 'exit', status: status(code, state.status) })
  },
  return: async ({ state }, [code]) => {
    throw new Leaving({ kind: 'return', status: status(code, state.status) })
  },
  break: async (_, [levels]) => {
    throw new Leaving({ kind: 'break', levels: number(levels, 1) })
  },
  continue: async (_, [levels]) => {
    throw new Leaving({ kind: 'continue', levels: number(levels, 1) })
  },
  eval: (shell, args, frame) => shell.runText(args.join(' '), frame),
  /** Replaces the shell; without a command it redirects the shell's own descriptors. */
  exec: async (shell, [name, ...args], { descriptors }) => {
    if (name === undefined) {
      shell.keep(descriptors)
      return 0
    }
    shell.state.traps.clear()
    throw new Leaving({ kind: 'exit', status: await shell.program(name, args, descriptors) })
  },
  command: async (shell, [name, ...args], frame) => {
    if (name === '-v' || name === '-V') return kindOf(shell, args[0] ?? '') === undefined ? 127 : 0
    if (name === undefined) return 0
    const hidden = shell.state.functions.get(name)
    shell.state.functions.delete(name)
    try {
      return await shell.call(name, args, frame)
    } finally {
      if (hidden !== undefined) shell.state.functions.set(name, hidden)
    }
  },
  '.': sourced,
  source: sourced,
  cd: async (shell, args) => {
    const { state, process } = shell
    const wanted = args.find((a) => a === '-' || !a.startsWith('-')) ?? state.get('HOME') ?? '/'
    const name = wanted === '-' ? (state.get('OLDPWD') ?? state.directory) : wanted
    const to = resolvePath(state.directory, name)
    if ((await process.files.status(to))?.kind !== 'directory')
      throw new ShellError(`cd: can't cd to ${name}: No such file or directory`, 1)
    state.set('OLDPWD', state.directory)
    state.set('PWD', to)
    state.directory = to
    return 0
  },
}

async function sourced(shell: Parameters<Builtin>[0], [name, ...args]: readonly string[], frame: Parameters<Builtin>[2]): Promise<number> {
  if (name === undefined) throw new ShellError('.: a file is expected')
  const { files } = shell.process
  const { positional } = shell.state
  const source = await files.read(resolvePath(shell.state.directory, name)).catch(() => {
    throw new ShellError(`.: ${name}: not found`)
  })
  try {
    // As in bash: words after the file are its positional parameters, while it runs.
    if (args.length > 0) shell.state.positional = args
    return await shell.runText(new TextDecoder().decode(source), frame)
  } catch (error) {
    if (error instanceof Leaving && error.how.kind === 'return') return error.how.status
    throw error
  } finally {
    if (args.length > 0 && shell.state.positional === args) shell.state.positional = positional
  }
}

/** What a name leads to, in the words of `type`. */
export function kindOf({ state, process }: Parameters<Builtin>[0], name: string): string | undefined {
  if (state.functions.has(name)) return 'a function'
  const program = process.container.find(path.posix.basename(name))
  return program === undefined ? undefined : `/bin/${path.posix.basename(name)}`
}
