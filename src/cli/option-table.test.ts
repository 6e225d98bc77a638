import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Argument, Command, Option } from 'commander'
import { createProgram } from './program.ts'
import { type CommandRun, folderOf, runCommand } from './run-command.double.ts'

/** Values that no option takes. */
const HOSTILE = ['', '  ', 'a\nb', '\u0000', '\u001b[2J', 'x'.repeat(100_000)]

/** What an option of this placeholder does not take, beside those. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  boolean: ['yes', 'TRUE', '1'],
  amount: [],
  count: ['three', '-1', '1.5', '0x10', '1e3', 'NaN', '99999999999999999999', '10001'],
  port: ['-1', '65536', '1.5', 'https', '99999999999999999999'],
  bits: ['0', '129', 'x'],
  seconds: ['0', '-1', 'soon', '1e9', 'Infinity'],
  file: ['/nowhere/at/all', '/'],
  folder: ['/dev/null/below'],
  shapes: ['/nowhere/at/all', '/'],
  url: ['nowhere', 'file:///etc/passwd', 'javascript:alert(1)'],
  form: ['yaml'],
  format: ['yaml'],
  n: ['-1', '1001', 'x'],
  pattern: ['('],
  overrides: ['/events#http://127.0.0.1:2379'],
}

/** Options that take more: the port of a connection may be a name; a step may be `delete:FILE`; a seed is large. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  'explain network --port': [],
  'scheduler --kubeconfig': [],
  'test-operator --age': ['x', '1', '1.15', '1.36', '2.20'],
  'test-operator --step': [],
  'test-operator --most-fields': ['0', 'x', '100001'],
  'test-operator --time-limit': ['0', 'x', '1441'],
  'test-operator --seed': ['0', 'x'],
}

/** What an argument of this name does not take, beside the hostile values. */
const WRONG_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  folder: ['/dev/null/below'],
  file: ['/nowhere/at/all', '/'],
  from: ['nowhere', 'sqlite=', 'redis=localhost'],
  to: ['nowhere', 'file='],
  verb: ['move'],
  shell: ['tcsh'],
}
/** The words of another program. */
const PROGRAMS: ReadonlySet<string> = new Set(['command', 'flags'])

interface Leaf {
  readonly words: readonly string[]
  readonly command: Command
}

/** The commands that have no others below them, with the words that name them. */
function leaves(command: Command, words: readonly string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ words, command }]
  return command.commands.flatMap((sub) => leaves(sub, [...words, sub.name()]))
}

const takesValue = (option: Option) => option.required || option.optional
const placeholderOf = (option: Option) => /[<[]([\w-]+)[>\]]/.exec(option.flags)?.[1] ?? ''

/** One line that names the option, and the exit code of a mistake. */
function assertRefused({ code, out, err }: CommandRun, named: string): void {
  assert.deepEqual({ code, out, lines: err.trimEnd().split('\n').length }, { code: 2, out: '', lines: 1 }, err.slice(0, 300))
  assert.match(err, /^bowsprit /)
  assert.ok(err.includes(named), `${err.slice(0, 300)} does not name ${named}`)
  assert.ok(err.length < 400, `${err.length} characters`)
}

const run = async (...words: readonly string[]) => runCommand(await createProgram(words[0]), ...words)

for (const { words, command } of leaves(await createProgram(undefined)))
  suite(`bowsprit ${words.join(' ')}`, () => {
    for (const option of command.options.filter(takesValue)) {
      const long = option.long ?? ''
      const wrong = OTHERWISE[`${words.join(' ')} ${long}`] ?? WRONG[placeholderOf(option)] ?? []
      for (const value of [...HOSTILE, ...wrong])
        test(`${long} does not take ${JSON.stringify(value.slice(0, 40))}`, async () =>
          assertRefused(await run(...words, `${long}=${value}`), long))
      if (option.required) test(`${long} needs a value`, async () => assertRefused(await run(...words, long), long))
    }

    for (const option of command.options.filter((o) => o.mandatory))
      test(`${option.long} is required`, async () => assertRefused(await run(...words, ...argumentsOf(command)), '--'))

    for (const [i, argument] of command.registeredArguments.entries())
      for (const value of PROGRAMS.has(argument.name()) ? [] : [...HOSTILE, ...(WRONG_ARGUMENTS[argument.name()] ?? [])])
        test(`${argument.name()} does not take ${JSON.stringify(value.slice(0, 40))}`, async () => {
          const given = validArguments(command).with(i, value)
          assertRefused(await run(...words, ...requiredOptions(command), ...given), `${argument.name()}:`)
        })

    if (words[0] !== 'apiserver') {
      test('an unknown option is refused', async () =>
        assertRefused(await run(...words, ...requiredOptions(command), '--no-such-option'), '--no-such-option'))
      test('too many arguments are refused', async () => {
        if (command.registeredArguments.at(-1)?.variadic === true) return
        assertRefused(await run(...words, ...requiredOptions(command), ...argumentsOf(command), 'more', 'and-more'), 'too many arguments')
      })
    }
    test('missing arguments are refused', async () => {
      const [first] = command.registeredArguments.filter((argument) => argument.required)
      if (first !== undefined) assertRefused(await run(...words, ...requiredOptions(command)), first.name())
    })
  })

const validArgument = (argument: Argument) => VALID_ARGUMENTS[argument.name()] ?? argument.name()
const validArguments = (command: Command) => command.registeredArguments.map(validArgument)
const argumentsOf = (command: Command) => validArguments(command).slice(0, command.registeredArguments.filter((a) => a.required).length)
const requiredOptions = (command: Command) =>
  command.options.filter((o) => o.mandatory).map((o) => `${o.long}=${REQUIRED[placeholderOf(o)] ?? 'x'}`)
const VALID_ARGUMENTS: Readonly<Record<string, string>> = { from: 'file=store', to: 'file=other', verb: 'create', shell: 'bash' }
const REQUIRED: Readonly<Record<string, string>> = {
  file: import.meta.filename,
  url: 'https://localhost',
  address: 'unix:///run/x.sock',
}

test('a file is written only where its folder is, a folder only below folders', async (t) => {
  const at = folderOf(t, { file: '' })
  for (const [option, value] of [
    ['--kubeconfig', at('none/kubeconfig')],
    ['--save-on-exit', at('none/saved')],
    ['--data-dir', at('file/data')],
    ['--audit-log', at('none/audit.log')],
  ])
    assertRefused(await run('up', `${option}=${value}`), `${option}`)
})
