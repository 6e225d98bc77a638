/** Writes `docs/cli.md` from the definitions of the commands. */
import type { Argument, Command, Option } from 'commander'
import { createProgram } from '../src/cli/program.ts'

const INTRODUCTION = `# The command line

Written by \`npm run docs\` from the definitions of the commands; change those. \`bowsprit COMMAND --help\` prints the same.

From a checkout, \`npm start -- FLAGS\` is \`bowsprit up FLAGS\`, and \`npm run bowsprit -- COMMAND\` is \`bowsprit COMMAND\`. A command ends with
exit code 0 after success, 2 after a mistake in its flags or files, and 1 after any other failure.`

/** The page. */
export async function cliPage(): Promise<string> {
  const program = await createProgram(undefined)
  const groups = grouped(program.commands, (command) => command.helpGroup())
  const contents = groups.flatMap(([heading, commands]) => [heading, tableOfCommands(commands.flatMap(sectionsOf))])
  const texts = program.commands.flatMap(sectionsOf).map(({ text }) => text)
  return `${[INTRODUCTION, ...contents, ...texts].join('\n\n')}\n`
}

const sectionsOf = (command: Command) => sections(command, 'bowsprit')

const tableOfCommands = (commands: readonly Section[]) =>
  ['| command | |', '|---|---|', ...commands.map(({ name, about }) => `| [\`${name}\`](#${anchor(name)}) | ${cell(about)} |`)].join('\n')

/** In the groups of the help, each with its heading in bold letters. */
function grouped<T>(items: readonly T[], headingOf: (item: T) => string | undefined): readonly [heading: string, items: readonly T[]][] {
  const groups = Map.groupBy(items, (item) => headingOf(item) ?? '')
  return [...groups].map(([heading, of]) => [`**${heading.replace(/:$/, '')}**`, of])
}

interface Section {
  readonly name: string
  readonly about: string
  readonly text: string
}

/** The command, and those below it. A command that only groups others has no section of its own. */
function sections(command: Command, parent: string): Section[] {
  const name = `${parent} ${command.name()}`
  const below = command.commands.flatMap((inner) => sections(inner, name))
  if (below.length > 0) return below
  const about = command.description()
  const parts = [`## ${name}`, `${sentence(about)}`, `\`\`\`text\n${name} ${command.usage()}\n\`\`\``]
  const args = command.registeredArguments.map(argumentRow)
  const options = command.options.filter((option) => !option.hidden)
  if (args.length > 0) parts.push(table('argument', args))
  for (const [heading, of] of grouped(options, (option) => option.helpGroupHeading)) {
    if (of.length < options.length) parts.push(heading)
    parts.push(table('flag', of.map(optionRow)))
  }
  return [{ name, about, text: parts.join('\n\n') }]
}

const argumentRow = (argument: Argument) => `| \`${argument.name()}\` | ${cell(argument.description)} |`
const optionRow = (option: Option) => `| \`${cell(option.flags)}\` | ${cell(option.description)} |`
const table = (head: string, rows: readonly string[]) => [`| ${head} | meaning |`, '|---|---|', ...rows].join('\n')

const cell = (text: string) => text.replaceAll('|', '\\|')
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
/** As GitHub derives it from a heading. */
const anchor = (heading: string) => heading.toLowerCase().replaceAll(' ', '-')
