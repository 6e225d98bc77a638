import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { type Command, CommanderError } from 'commander'
import { usageCode, withOneVoice } from './one-voice.ts'

/** The output of a command, and its exit code. */
export interface CommandRun {
  readonly code: number
  readonly out: string
  readonly err: string
}

// Commands listen for signals until their process ends; a test runs many of them.
process.setMaxListeners(0)

/** Runs a command inside the test's process. Commands run one after the other, because they share the console. */
export async function runCommand(command: Command, ...words: readonly string[]): Promise<CommandRun> {
  const printed = { out: '', err: '' }
  const to = (stream: 'out' | 'err') => (text: unknown) => {
    printed[stream] += `${stripVTControlCharacters(String(text))}\n`
  }
  const { log, error } = console
  const codeBefore = process.exitCode
  process.exitCode = 0
  console.log = to('out')
  console.error = to('err')
  try {
    await toConsole(withOneVoice(command, command.name() === 'bowsprit' ? '' : 'bowsprit ')).parseAsync(words, { from: 'user' })
    return { code: Number(process.exitCode), ...printed }
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    return { code: usageCode(thrown), ...printed }
  } finally {
    Object.assign(console, { log, error })
    process.exitCode = codeBefore
  }
}

/** The command and its subcommands print to the console. */
function toConsole(command: Command): Command {
  command.configureOutput({
    writeOut: (text) => console.log(text.trimEnd()),
    writeErr: (text) => console.error(text.trimEnd()),
  })
  for (const sub of command.commands) toConsole(sub)
  return command
}

/** A folder with these files, removed after the test. Returns a function from a name to its path. */
export function folderOf(t: { after(fn: () => void): void }, files: Readonly<Record<string, string>> = {}): (name: string) => string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-cli-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return (name) => path.join(folder, name)
}
