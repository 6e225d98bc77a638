import type { Program } from '../process.ts'
import { sh } from '../sh.ts'
import { filing } from './filing.ts'
import { reading } from './reading.ts'
import { sed } from './sed.ts'
import { system } from './system.ts'
import { tar } from './tar.ts'
import { testWord } from './test-word.ts'

/** The programs that every container has, by name: a shell and what manifests and `kubectl cp` call. */
export const COMMANDS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...Object.entries(filing),
  ...Object.entries(reading),
  ...Object.entries(system),
  ['sed', sed],
  ['tar', tar],
  ['sh', sh],
  ['ash', sh],
  ['bash', sh],
  ['dash', sh],
  ['test', testWord],
  ['[', testWord],
])
