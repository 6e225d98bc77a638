import type { Frame, Shell } from '../shell.ts'
import { control } from './control.ts'
import { naming } from './naming.ts'
import { printing } from './printing.ts'
import { waiting } from './waiting.ts'

/** A command of the shell itself. */
export type Builtin = (shell: Shell, args: readonly string[], frame: Frame) => Promise<number>

export const BUILTINS: Readonly<Record<string, Builtin>> = { ...control, ...naming, ...printing, ...waiting }
