import { setOptions } from './builtins/naming.ts'
import type { Descriptors } from './descriptors.ts'
import { wordsFor } from './file-words.ts'
import { resolvePath } from './paths.ts'
import type { Process, Program } from './processes/process.ts'
import { createScriptReader } from './script-reader.ts'
import { Shell } from './shell.ts'
import { ShellState, type Variable } from './shell-state.ts'
import { talk } from './talk.ts'
import { writeText } from './texts.ts'

/**
 * `sh`: `-c TEXT [NAME [ARGUMENT…]]`, a file with arguments, or standard input. It is the POSIX shell (2. Shell Command Language) with what
 * manifests use beside it: `[[`, `local`, `source`, `{1..3}`, `pipefail`. At a terminal it prompts. Named arrays, `select` and co-processes
 * are errors.
 */
export const sh: Program = async (process) => {
  const [called = 'sh', ...args] = process.argv
  const flags: string[] = []
  let text: string | undefined
  let requested = false
  let fromInput = false
  while (/^[-+]./.test(args[0] ?? '') && text === undefined) {
    const flag = args.shift() ?? ''
    if (flag === '--') break
    if (flag === '-o' || flag === '+o') flags.push(flag, args.shift() ?? '')
    else if (!flag.startsWith('--')) {
      if (flag.includes('c')) text = args.shift() ?? ''
      if (flag.includes('i')) requested = true
      if (flag.includes('s')) fromInput = true
      flags.push(flag.replace(/[cilms]/g, ''))
    }
  }
  const file = text === undefined && !fromInput ? args.shift() : undefined
  const name = text === undefined ? (file ?? called) : (args.shift() ?? called)
  const descriptors: Descriptors = new Map([
    [0, { input: process.stdin }],
    [1, { sink: process.stdout }],
    [2, { sink: process.stderr }],
  ])
  const state = new ShellState({ name, positional: args, directory: process.directory, pid: process.pid, variables: inherited(process) })
  setOptions(
    state,
    flags.filter((f) => f.length > 1),
  )
  try {
    if (file !== undefined) text ??= new TextDecoder().decode(await process.files.read(resolvePath(process.directory, file)))
  } catch (error) {
    await writeText(process.stderr, `${called}: can't open '${file}': ${wordsFor(error)}\n`)
    return 127
  }
  const shell = new Shell({ process, state, descriptors, signal: process.signal })
  const script = text
  if (script === undefined && (requested || process.stdin.terminal !== undefined)) return talk(shell)
  process.catchSignals((signal) => shell.tell(signal))
  if (script !== undefined) return shell.main(() => shell.runText(script, shell.frame))
  const reader = createScriptReader(process.stdin)
  return shell.main(async () => {
    for (let next = await reader.next(shell.signal); next !== undefined; next = await reader.next(shell.signal))
      state.status = await shell.runText(next, shell.frame)
    return state.status
  })
}

function* inherited({ environment, directory }: Process): Generator<[string, Variable]> {
  for (const [name, value] of Object.entries(environment)) yield [name, { value, exported: true, readonly: false }]
  yield ['PWD', { value: directory, exported: true, readonly: false }]
}
