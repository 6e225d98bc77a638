import type { Program } from '../processes/process.ts'
import { sh } from '../sh.ts'
import { asBuiltin } from './as-builtin.ts'
import { awk } from './awk/awk.ts'
import { comparing } from './comparing.ts'
import { dumping } from './dumping.ts'
import { filing } from './filing.ts'
import { finding } from './finding.ts'
import { hashing } from './hashing.ts'
import { machine } from './machine.ts'
import { packing } from './packing.ts'
import { reading } from './reading.ts'
import { rearranging } from './rearranging.ts'
import { sed } from './sed/sed.ts'
import { sitting } from './sitting.ts'
import { sorting } from './sorting.ts'
import { system } from './system.ts'
import { tar } from './tar.ts'

/** The programs that every container has, by name: a shell and what manifests and `kubectl cp` call. */
export const COMMANDS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...Object.entries(filing),
  ...Object.entries(reading),
  ...Object.entries(sorting),
  ...Object.entries(hashing),
  ...Object.entries(system),
  ...Object.entries(machine),
  ...Object.entries(sitting),
  ...Object.entries(finding),
  ...Object.entries(comparing),
  ...Object.entries(dumping),
  ...Object.entries(packing),
  ...Object.entries(rearranging),
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
