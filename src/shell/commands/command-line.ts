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

/**
 * Reads options as GNU's utilities do: they may follow operands. `flags`: letters without a value; `valued`: letters with one.
 * @throws {TypeError} naming an option that is not known, or lacks its value
 */
export function readCommandLine(args: readonly string[], flags: string, valued = ''): CommandLine {
  const words = shortened(args, flags + valued)
  const given = new Map<string, string[]>()
  const operands: string[] = []
  let isOver = false
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (isOver || word === '-' || !word.startsWith('-')) operands.push(word)
    else if (word === '--') isOver = true
    else i += readLetters(word, words[i + 1], { flags, valued, given })
  }
  return {
    has: (letter) => given.has(letter),
    value: (letter) => given.get(letter)?.at(-1),
    values: (letter) => given.get(letter) ?? [],
    words: operands,
  }
}

interface Letters {
  readonly flags: string
  readonly valued: string
  readonly given: Map<string, string[]>
}

/**
 * Reads `-abc`: the first letter that takes a value takes the rest of the word, or the next word. Returns how many next words were read.
 */
function readLetters(word: string, next: string | undefined, { flags, valued, given }: Letters): 0 | 1 {
  for (const [i, letter] of [...word.slice(1)].entries()) {
    const isValued = valued.includes(letter)
    if (!isValued && !flags.includes(letter))
      throw new TypeError(word.startsWith('--') ? `unrecognized option '${word}'` : `invalid option -- '${letter}'`)
    const values = given.get(letter) ?? []
    given.set(letter, values)
    if (!isValued) continue
    const rest = word.slice(i + 2)
    const value = rest === '' ? next : rest
    if (value === undefined) throw new TypeError(`option requires an argument -- '${letter}'`)
    values.push(value)
    return rest === '' ? 1 : 0
  }
  return 0
}

/**
 * Parses a count.
 * @throws {Error} if it is not a number
 */
export function readCount(text: string): number {
  if (!/^[-+]?\d{1,15}$/.test(text)) throw new Error(`invalid number '${text}'`)
  return Number(text)
}
