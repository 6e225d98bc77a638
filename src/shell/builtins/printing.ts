import type { Builtin } from '../builtin.ts'
import { sinkAt } from '../descriptors.ts'
import { echoText } from '../echo.ts'
import { printfPieces } from '../printf.ts'
import { writeText } from '../texts.ts'
import { kindOf } from './control.ts'

/** Builtins that print. */
export const printing: Readonly<Record<string, Builtin>> = {
  echo: async (_, args, { descriptors }) => {
    await writeText(sinkAt(descriptors, 1), echoText(args))
    return 0
  },
  printf: async (_, [format = '', ...args], { descriptors }) => {
    for (const piece of printfPieces(format, args)) await writeText(sinkAt(descriptors, 1), piece)
    return 0
  },
  pwd: async ({ state }, __, { descriptors }) => {
    await writeText(sinkAt(descriptors, 1), `${state.directory}\n`)
    return 0
  },
  type: async (shell, names, { descriptors }) => {
    let missing = 0
    for (const name of names) {
      const kind = kindOf(shell, name)
      if (kind === undefined) missing = 127
      await writeText(sinkAt(descriptors, 1), kind === undefined ? `${name}: not found\n` : `${name} is ${kind}\n`)
    }
    return missing
  },
  umask: async () => 0,
  ulimit: async () => 0,
}
