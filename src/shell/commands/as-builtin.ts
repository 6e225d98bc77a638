import type { Program } from '../processes/process.ts'
import { sh } from '../sh.ts'
import { quoteWord } from '../words/quote-word.ts'

/** `test`, `[` and `kill` as programs: probes and people call them without a shell. */
export const asBuiltin: Program = (process) => sh({ ...process, argv: ['sh', '-c', process.argv.map(quoteWord).join(' ')] })
