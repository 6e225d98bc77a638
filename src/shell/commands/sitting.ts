import type { Process, Program } from '../processes/process.ts'
import { runProgram } from '../processes/run-program.ts'
import { writeText } from '../texts.ts'
import { readCommandLine } from './command-line.ts'
import { eachInput } from './inputs.ts'

async function print({ stdout }: Process, text: string): Promise<number> {
  await writeText(stdout, text)
  return 0
}

/** `more` and `less`: print everything at once, without pages. */
const pager: Program = (process) =>
  eachInput(
    process,
    process.argv.slice(1).filter((a) => !/^[-+]./.test(a)),
    async (input) => {
      for (let piece = await input.read(process.signal); piece !== undefined; piece = await input.read(process.signal))
        await process.stdout.write(piece)
    },
  )

/** Interactive programs. */
export const sitting: Readonly<Record<string, Program>> = {
  tty: async (process) => {
    await print(process, process.stdin.terminal === undefined ? 'not a tty\n' : '/dev/pts/0\n')
    return Number(process.stdin.terminal === undefined)
  },
  stty: (process) => {
    const { terminal } = process.stdin
    if (terminal === undefined) throw new Error('standard input: Not a tty')
    const { width, height } = terminal.size
    const words = process.argv.slice(1)
    if (words.includes('size')) return print(process, `${height} ${width}\n`)
    for (const [i, word] of words.entries()) {
      const on = !word.startsWith('-')
      const what = word.replace(/^-/, '')
      if (what === 'echo') terminal.echo = on
      else if (what === 'icanon') terminal.canonical = on
      else if (what === 'raw' || what === 'cbreak') terminal.canonical = !on
      else if (what === 'cooked') terminal.canonical = on
      else if (what === 'sane') Object.assign(terminal, { echo: true, canonical: true })
      else if (what === 'rows' || what === 'cols' || what === 'columns') {
        const count = Number(words[i + 1]) || 0
        terminal.size = what === 'rows' ? { ...terminal.size, height: count } : { ...terminal.size, width: count }
      }
    }
    if (words.length > 0 && !words.includes('-a')) return 0
    const flag = (name: string, on: boolean) => (on ? name : `-${name}`)
    return print(
      process,
      `speed 38400 baud; rows ${height}; columns ${width};\n${flag('icanon', terminal.canonical)} ${flag('echo', terminal.echo)}\n`,
    )
  },
  clear: (process) => print(process, '\x1b[H\x1b[J'),
  reset: (process) => print(process, '\x1bc'),
  more: pager,
  less: pager,
  watch: async (process) => {
    const args = process.argv.slice(1)
    const from = args.findIndex((a, i) => !a.startsWith('-') && args[i - 1] !== '-n')
    const line = readCommandLine(args.slice(0, from), 'dt', 'n')
    const words = args.slice(from)
    for (;;) {
      await print(process, `\x1b[H\x1b[JEvery ${line.value('n') ?? '2'}.0s: ${words.join(' ')}\n\n`)
      await runProgram(['sh', '-c', words.join(' ')], process)
      await process.clock.sleep(Number(line.value('n') ?? 2) * 1000 || 2000, process.signal)
    }
  },
}
