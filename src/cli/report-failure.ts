import { styleText } from 'node:util'
import { messageOf } from '../base/message-of.ts'

/** Prints the error of a command without a stack, and sets the exit code. */
export function reportFailure(command: string, error: unknown, code = 1): void {
  console.error(styleText('red', `bowsprit ${command}: ${messageOf(error)}`))
  process.exitCode = code
}
