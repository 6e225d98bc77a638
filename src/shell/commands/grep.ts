import { RE2JS } from 're2js'
import { resolvePath } from '../paths.ts'
import type { Input, Process, Program } from '../processes/process.ts'
import { lines, writeText } from '../texts.ts'
import { type CommandLine, readCommandLine, readCount } from './command-line.ts'
import { compileExpression, extendedExpression } from './expressions.ts'
import { eachInput } from './inputs.ts'

/** The expression that is looked for; several lines are several expressions. */
function wanted(line: CommandLine, called: string, words: string[]): RE2JS {
  const given = line.value('e') ?? words.shift() ?? ''
  const fixed = line.has('F') || called === 'fgrep'
  const extended = line.has('E') || called === 'egrep'
  const source = given
    .split('\n')
    .map((one) => (fixed ? RE2JS.quote(one) : `(?:${extendedExpression(one, extended)})`))
    .join('|')
  return compileExpression(line.has('x') ? `^(?:${source})$` : line.has('w') ? `\\b(?:${source})\\b` : source, true, line.has('i'))
}

/** All files below folders. */
async function below(process: Process, names: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const look = async (name: string): Promise<void> => {
    const at = resolvePath(process.directory, name)
    if ((await process.files.status(at))?.kind !== 'directory') return void found.push(name)
    for (const child of await process.files.list(at)) await look(name === '.' ? child : `${name.replace(/\/$/, '')}/${child}`)
  }
  for (const name of names) await look(name)
  return found
}

export const grep: Program = async (process) => {
  const [called = 'grep', ...args] = process.argv
  const line = readCommandLine(
    args.map((a) => a.replace(/^-(\d+)$/, '-C$1')),
    'EFGHPchilnoqrRsvwx',
    'emABC',
  )
  const words = [...line.words]
  const expression = wanted(line, called, words)
  const recursive = line.has('r') || line.has('R')
  const files = recursive ? await below(process, words.length === 0 ? ['.'] : words) : words
  const prefixed = (files.length > 1 || recursive || line.has('H')) && !line.has('h')
  const most = readCount(line.value('m') ?? '999999999')
  const [before, after] = (['B', 'A'] as const).map((side) => readCount(line.value(side) ?? line.value('C') ?? '0'))
  let matched = 0

  const search = async (input: Input, name: string): Promise<void> => {
    let [here, number, owed, lastShown] = [0, 0, 0, 0]
    const kept: string[] = []
    const show = (text: string, at: number, sign: ':' | '-') => {
      const gap = lastShown > 0 && at > lastShown + 1 && (before ?? 0) + (after ?? 0) > 0 ? '--\n' : ''
      lastShown = at
      return writeText(process.stdout, `${gap}${prefixed ? `${name}${sign}` : ''}${line.has('n') ? `${at}${sign}` : ''}${text}\n`)
    }
    for await (const text of lines(input, process.signal)) {
      number++
      const matcher = expression.matcher(text)
      let found = matcher.find()
      if (found === line.has('v')) {
        if (owed > 0) await show(text, number, '-')
        else kept.push(text)
        owed--
        if (kept.length > (before ?? 0)) kept.shift()
        continue
      }
      if (here >= most) break
      matched++
      here++
      if (line.has('q')) return
      if (line.has('c') || line.has('l')) continue
      for (const [i, early] of kept.entries()) await show(early, number - kept.length + i, '-')
      kept.length = 0
      owed = after ?? 0
      if (line.has('o') && !line.has('v')) for (; found; found = matcher.find()) await show(matcher.group() ?? '', number, ':')
      else await show(text, number, ':')
      if (here >= most && owed === 0) break
    }
    if (line.has('c')) await writeText(process.stdout, `${prefixed ? `${name}:` : ''}${here}\n`)
    if (line.has('l') && here > 0) await writeText(process.stdout, `${name}\n`)
  }
  const broken = await eachInput(
    line.has('s') ? { ...process, stderr: { write: async () => {}, end: async () => {} } } : process,
    files,
    search,
  )
  return matched > 0 ? 0 : broken === 0 ? 1 : 2
}
