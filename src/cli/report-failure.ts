import { styleText } from 'node:util'
import { messageOf } from '../base/message-of.ts'

/** Prints why a command failed, without a stack, and has the process exit with `code`. */
export function reportFailure(command: string, error: unknown, code = 1): void {
  console.error(styleText('red', `bowsprit ${command}: ${messageOf(error)}`))
  process.exitCode = code
}
