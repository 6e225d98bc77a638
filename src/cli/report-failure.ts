import { styleText } from 'node:util'
import { messageOf } from '../base/message-of.ts'
import type { Later } from '../base/steps.ts'
import { isConfigMistake } from '../cluster/config.ts'
import { KubeconfigError } from '../sdk/client/kubeconfig.ts'
import { USAGE_CODE } from './one-voice.ts'

/** A mistake in the options of a command; the message names the option and what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'bad-option'
}

/** Whether options of a command or their files caused this error. */
export const isMistake = (error: unknown) => error instanceof UsageError || error instanceof KubeconfigError || isConfigMistake(error)

/** Prints the error of a command without a stack, in one line, and sets the exit code: 2 for a mistake in options or their files. */
export function reportFailure(command: string, error: unknown, code: number = isMistake(error) ? USAGE_CODE : 1): void {
  const message = messageOf(error)
  const text = code === USAGE_CODE ? message.trim().replaceAll(/\s*\n\s*/g, ' ') : message
  console.error(styleText('red', `bowsprit ${command}: ${text}`))
  process.exitCode = code
}

/** Runs a command, and reports its failure. */
export async function reporting(command: string, work: () => Later<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    reportFailure(command, error)
  }
}
