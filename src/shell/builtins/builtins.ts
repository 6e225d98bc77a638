import type { Builtin } from '../builtin.ts'
import { control } from './control.ts'
import { naming } from './naming.ts'
import { printing } from './printing.ts'
import { waiting } from './waiting.ts'

export const BUILTINS: Readonly<Record<string, Builtin>> = { ...control, ...naming, ...printing, ...waiting }
