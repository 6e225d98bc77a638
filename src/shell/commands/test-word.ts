import type { Program } from '../process.ts'
import { quoteWord } from '../quote-word.ts'
import { sh } from '../sh.ts'

/** `test` and `[` as programs: probes call them without a shell. */
export const testWord: Program = (process) => sh({ ...process, argv: ['sh', '-c', process.argv.map(quoteWord).join(' ')] })
