import { parseArgs } from 'node:util'

/** A parsed command line: letters, values of letters that take one, and operands. */
export interface CommandLine {
  has(letter: string): boolean
  /** The last value of the option. */
  value(letter: string): string | undefined
  /** All that were given. */
  values(letter: string): readonly string[]
  readonly words: readonly string[]
}

/** Options by the words that GNU's utilities have for them. */
const LONG: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'recursive=r ignore-case=i quiet=q silent=q invert-match=v line-number=n count=c only-matching=o extended-regexp=E fixed-strings=F word-regexp=w',
    'line-regexp=x files-with-matches=l no-filename=h no-messages=s max-count=m regexp=e after-context=A before-context=B context=C',
    'lines=n bytes=c chars=m words=w follow=f retry=F all=a almost-all=A long=l directory=d parents=p verbose=v force=f mode=m decode=d wrap=w',
    'human-readable=h summarize=s numeric-sort=n reverse=r unique=u key=k field-separator=t delimiter=d fields=f characters=c only-delimited=s',
    'append=a symbolic=s no-dereference=n canonicalize=f archive=a check=c size=s format=c delete=d squeeze-repeats=s complement=c',
    'no-clobber=n update=u dereference=L preserve=p',
  ].flatMap((line) => line.split(' ').map((pair) => pair.split('='))),
)

/** What is the same as `--update=` with a word. */
const UPDATES = new Map([
  ['all', []],
  ['none', ['-n']],
  ['older', ['-u']],
])

/** Replaces long options by letters, if the command has that letter. */
function shortened(args: readonly string[], letters: string): string[] {
  const end = args.indexOf('--')
  return args.flatMap((arg, i) => {
    const [, name = '', value] = end < 0 || i < end ? (arg.match(/^--([a-z][-a-z]*)(?:=(.*))?$/s) ?? []) : []
    if (name === 'color' || name === 'colour') return []
    const update = name === 'update' && value !== undefined ? UPDATES.get(value) : undefined
    if (update !== undefined) return update
    const letter = Object.hasOwn(LONG, name) ? LONG[name] : undefined
    if (letter === undefined || !letters.includes(letter)) return [arg]
    return value === undefined ? [`-${letter}`] : [`-${letter}`, value]
  })
}

/** With each value in the word of its letter: `-c -2` is `-c-2`, which `parseArgs` would take for two options. */
function joinedValues(args: readonly string[], valued: string): string[] {
  const joined: string[] = []
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') return [...joined, arg, ...rest]
    // The first letter that takes a value takes the rest of the word, if there is any.
    const letter = /^-[^-]/.test(arg) ? [...arg].findIndex((c, i) => i > 0 && valued.includes(c)) : -1
    joined.push(letter > 0 && letter === arg.length - 1 && rest.length > 0 ? arg + rest.shift() : arg)
  }
  return joined
}

/**
 * Reads options as POSIX utilities do. `flags`: letters without a value; `valued`: letters with one.
 * @throws {TypeError} naming an option that is not known
 */
export function readCommandLine(args: readonly string[], flags: string, valued = ''): CommandLine {
  const options = Object.fromEntries([
    ...[...flags].map((letter) => [letter, { type: 'boolean', short: letter }] as const),
    ...[...valued].map((letter) => [letter, { type: 'string', short: letter, multiple: true }] as const),
  ])
  const words = joinedValues(shortened(args, flags + valued), valued)
  const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true })
  const given = new Map(Object.entries(values))
  const texts = (letter: string) => [given.get(letter) ?? []].flat().filter((value) => typeof value === 'string')
  return {
    has: (letter) => given.has(letter),
    value: (letter) => texts(letter).at(-1),
    values: texts,
    words: positionals,
  }
}

/**
 * Parses a count.
 * @throws {Error} if it is not a number
 */
export function readCount(text: string): number {
  if (!/^[-+]?\d{1,15}$/.test(text)) throw new Error(`invalid number '${text}'`)
  return Number(text)
}
