import type { Builtin } from '../builtin.ts'
import { inputAt } from '../descriptors.ts'
import { ShellError, type ShellOption, type ShellState } from '../shell-state.ts'
import { readLine } from '../texts.ts'

const LETTERS: ReadonlySet<string> = new Set<ShellOption>(['e', 'u', 'x', 'f', 'a'])
const LONG: Readonly<Record<string, ShellOption>> = {
  errexit: 'e',
  nounset: 'u',
  xtrace: 'x',
  noglob: 'f',
  allexport: 'a',
  pipefail: 'pipefail',
}

function isOption(letter: string): letter is ShellOption {
  return LETTERS.has(letter)
}

/** `NAME` or `NAME=value`. */
function readName(word: string): { readonly name: string; readonly value?: string } {
  const [, name, value] = word.match(/^([A-Za-z_]\w*)(?:=(.*))?$/s) ?? []
  if (name === undefined) throw new ShellError(`${word}: bad variable name`)
  return value === undefined ? { name } : { name, value }
}

function marking(mark: 'exported' | 'readonly'): Builtin {
  return async ({ state }, args) => {
    for (const word of args.filter((a) => !a.startsWith('-'))) {
      const { name, value } = readName(word)
      if (value !== undefined || state.get(name) !== undefined || mark === 'exported')
        state.set(name, value ?? state.get(name) ?? '', { exported: state.variables.get(name)?.exported ?? false, [mark]: true })
    }
    return 0
  }
}

/** As in bash: a declaration in a function is local, unless an option changes that. */
function declare(state: ShellState, args: readonly string[]): number {
  const letters = args.filter((a) => /^[-+]/.test(a)).join('')
  const words = args.filter((a) => !/^[-+]/.test(a))
  if (/[fF]/.test(letters)) return Number(!words.every((name) => state.functions.has(name)))
  if (letters.includes('A')) throw new ShellError('declare: -A: arrays whose places have names are not played')
  const scope = letters.includes('g') ? undefined : state.hidden.at(-1)
  for (const word of words) {
    const { name, value } = readName(word)
    const hides = scope !== undefined && !scope.has(name)
    if (hides) {
      scope.set(name, state.variables.get(name))
      state.variables.delete(name)
    }
    // An array is a variable too: it keeps its value if none is given.
    if (value === undefined && state.variables.has(name)) continue
    state.set(name, value ?? '', { exported: letters.includes('x'), readonly: letters.includes('r') && value !== undefined })
  }
  return 0
}

/** Sets options as `set -eu -o pipefail` does; the words that are none. */
export function setOptions(state: ShellState, args: readonly string[]): readonly string[] | undefined {
  const rest = [...args]
  for (let word = rest[0]; word !== undefined && /^[-+]./.test(word); word = rest[0]) {
    rest.shift()
    if (word === '--') return rest
    const change = (option: ShellOption) => void (word?.startsWith('-') ? state.options.add(option) : state.options.delete(option))
    for (const letter of word.slice(1)) {
      if (letter !== 'o') {
        if (isOption(letter)) change(letter)
        continue
      }
      const long = LONG[rest.shift() ?? '']
      if (long === undefined) throw new ShellError('set: illegal option')
      change(long)
    }
  }
  return rest.length > 0 ? rest : undefined
}

/** What names and values have. */
export const naming: Readonly<Record<string, Builtin>> = {
  export: marking('exported'),
  readonly: marking('readonly'),
  set: async ({ state }, args) => {
    const positional = setOptions(state, args)
    if (positional !== undefined) state.positional = positional
    return 0
  },
  unset: async ({ state }, args) => {
    const functions = args[0] === '-f'
    for (const name of args.filter((a) => !a.startsWith('-'))) {
      if (functions) state.functions.delete(name)
      else state.unset(name)
    }
    return 0
  },
  shift: async ({ state }, [count = '1']) => {
    if (Number(count) > state.positional.length) return 1
    state.positional = state.positional.slice(Number(count))
    return 0
  },
  local: async ({ state }, args) => {
    if (state.hidden.length === 0) throw new ShellError('local: not in a function')
    return declare(state, args)
  },
  declare: async ({ state }, args) => declare(state, args),
  typeset: async ({ state }, args) => declare(state, args),
  read: async (shell, args, { descriptors }) => {
    const raw = args.includes('-r')
    const names = args.filter((a) => !a.startsWith('-'))
    const next = await readLine(inputAt(descriptors), shell.signal)
    const line = next?.line ?? ''
    const values = splitLine(raw ? line : line.replace(/\\(.)/gs, '$1'), Math.max(1, names.length), shell.state.get('IFS') ?? ' \t\n')
    for (const [i, name] of (names.length === 0 ? ['REPLY'] : names).entries()) shell.state.set(name, values[i] ?? '')
    return next?.whole === true ? 0 : 1
  },
  getopts: async ({ state }, [spec = '', name = '', ...words]) => {
    const args = words.length > 0 ? words : state.positional
    const index = Number(state.get('OPTIND') ?? '1')
    const word = args[index - 1]
    if (word === undefined || !/^-./.test(word) || word === '--') {
      state.set(name, '?')
      return 1
    }
    const at = Number(state.get('_OPTCHAR') ?? '1')
    const letter = word[at] ?? ''
    const takes = spec[spec.indexOf(letter) + 1] === ':'
    const known = letter !== ':' && spec.includes(letter)
    const rest = word.slice(at + 1)
    if (known && takes) state.set('OPTARG', rest || (args[index] ?? ''))
    else state.unset('OPTARG')
    const done = takes || rest === ''
    state.set('OPTIND', String(done ? index + (takes && rest === '' ? 2 : 1) : index))
    state.set('_OPTCHAR', String(done ? 1 : at + 1))
    state.set(name, known ? letter : '?')
    return 0
  },
}

/** The last name takes what is left. */
function splitLine(line: string, count: number, separators: string): readonly string[] {
  const known = new Set(separators)
  const isSeparator = (c: string | undefined) => c !== undefined && known.has(c)
  const values: string[] = []
  let [start, end] = [0, line.length]
  while (isSeparator(line[start]) && /\s/.test(line[start] ?? '')) start++
  while (end > start && isSeparator(line[end - 1]) && /\s/.test(line[end - 1] ?? '')) end--
  while (values.length < count - 1 && start < end) {
    let stop = start
    while (stop < end && !isSeparator(line[stop])) stop++
    values.push(line.slice(start, stop))
    start = stop + 1
    while (start < end && isSeparator(line[start]) && /\s/.test(line[start] ?? '')) start++
  }
  values.push(line.slice(start, end))
  return values
}
