import { styleText } from 'node:util'
import type { Command, CommanderError } from 'commander'
import { HELP_LAYOUT } from './help-layout.ts'
import { shownValue } from './option-values.ts'

/** The exit code of a mistake in options, arguments or the files that they name. */
export const USAGE_CODE = 2

/** Commands print mistakes in their options as all other errors: `bowsprit up: --nodes: "x" is not a whole number`, and throw. */
export function withOneVoice(command: Command, parents = ''): Command {
  const name = `${parents}${command.name()}`
  command
    .exitOverride()
    .configureHelp(HELP_LAYOUT)
    .configureOutput({
      outputError: (text, write) => write(`${styleText('red', `${name}: ${mistake(text, name)}`, { stream: process.stderr })}\n`),
    })
  for (const sub of command.commands) withOneVoice(sub, `${name} `)
  return command
}

/** The exit code of a command line that commander has ended: for a mistake, or after help or version. */
export const usageCode = ({ exitCode }: CommanderError): number => (exitCode === 0 ? 0 : USAGE_CODE)

/** What commander says of a value of an option, and of one of an argument. */
const BAD_OPTION = /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s
const BAD_ARGUMENT = /^command-argument value '(.*)' is invalid for argument '(.*?)'\. (.*)$/s

/** Commander's message in one line, with the way to the help where it names no mend. */
function mistake(text: string, name: string): string {
  const message = text.replace(/^error: /, '').trim()
  const [, option, given = '', why = ''] = BAD_OPTION.exec(message) ?? []
  if (option !== undefined) return `${option}: ${shownValue(given)} ${inWords(why)}`
  const [, value = '', argument, reason = ''] = BAD_ARGUMENT.exec(message) ?? []
  if (argument !== undefined) return `${argument}: ${shownValue(value)} ${inWords(reason)}`
  const line = message.replaceAll(/\s*\n\s*/g, ' ')
  return line.includes('Did you mean') ? line : `${line} (see ${name} --help)`
}

const inWords = (why: string) => why.replace(/^Allowed choices are (.*)\.$/s, 'is none of $1')
