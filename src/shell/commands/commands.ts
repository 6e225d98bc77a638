import type { Program } from '../processes/process.ts'
import { sh } from '../sh.ts'
import { asBuiltin } from './as-builtin.ts'
import { awk } from './awk/awk.ts'
import { bytes } from './bytes.ts'
import { filing } from './filing.ts'
import { finding } from './finding.ts'
import { machine } from './machine.ts'
import { reading } from './reading.ts'
import { sed } from './sed.ts'
import { sitting } from './sitting.ts'
import { system } from './system.ts'
import { tar } from './tar.ts'

/** The programs that every container has, by name: a shell and what manifests and `kubectl cp` call. */
export const COMMANDS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...Object.entries(filing),
  ...Object.entries(reading),
  ...Object.entries(system),
  ...Object.entries(machine),
  ...Object.entries(sitting),
  ...Object.entries(finding),
  ...Object.entries(bytes),
  ['awk', awk],
  ['kill', asBuiltin],
  ['sed', sed],
  ['tar', tar],
  ['sh', sh],
  ['ash', sh],
  ['bash', sh],
  ['dash', sh],
  ['test', asBuiltin],
  ['[', asBuiltin],
])
