import { type Command, Option } from 'commander'
import type { Logger } from '../base/logger.ts'
import { type LogFormat, stderrLogger } from './stderr-logger.ts'

/** The flags of a command that logs while it runs. */
export interface LogFlags {
  readonly verbose?: boolean
  readonly logFormat?: LogFormat
}

/** Adds `--verbose` and `--log-format` to a command. */
export const withLogOptions = (command: Command): Command =>
  command
    .option('-v, --verbose', 'log everything to standard error, not only warnings and errors')
    .addOption(
      new Option('--log-format <format>', 'the format of log lines; json has all fields and stacks')
        .choices(['text', 'json'])
        .default('text'),
    )

/** The logger that the flags ask for. */
export const loggerOf = ({ verbose, logFormat }: LogFlags): Logger => stderrLogger(verbose === true ? 'debug' : 'warn', logFormat)
