import { RE2JS } from 're2js'
import { resolvePath } from '../../paths.ts'
import { formatPrintf } from '../../printf.ts'
import type { Process } from '../../processes/process.ts'
import { Slices } from '../../slices.ts'
import { writeText } from '../../texts.ts'
import type { AwkProgram, Expression, Place, Statement } from './parser.ts'
import { calculate, compare, Given, num, substitute, text, truth, type Value } from './values.ts'

class Leave extends Error {
  readonly how: string
  readonly value: Value
  constructor(how: string, value: Value = '') {
    super(how)
    this.how = how
    this.value = value
  }
}

type Cells = Map<string, Value>
/** Functions in functions. */
const DEEPEST = 200
/** Output that is held until it is written. */
const BUFFER = 8192
const MOST_CELLS = 1_000_000

/** Runs an awk program, record by record. */
export class Machine {
  readonly #program: AwkProgram
  readonly #process: Process
  readonly #slices: Slices
  readonly #variables = new Map<string, Value>([
    ['FS', ' '],
    ['OFS', ' '],
    ['ORS', '\n'],
    ['NR', 0],
    ['FNR', 0],
    ['SUBSEP', '\x1c'],
    ['RSTART', 0],
    ['RLENGTH', -1],
    ['FILENAME', ''],
  ])
  readonly #arrays = new Map<string, Cells>()
  readonly #regexes = new Map<string, RE2JS>()
  /** Of ranges that have begun. */
  readonly #open = new Set<object>()
  /** What the functions that run have of their own. */
  readonly #frames: { readonly values: Map<string, Value>; readonly arrays: Map<string, Cells> }[] = []
  readonly #opened = new Set<string>()
  #record = ''
  #fields: Value[] | undefined
  #out = ''
  #status = 0
  #left = false

  constructor(program: AwkProgram, process: Process) {
    this.#program = program
    this.#process = process
    this.#slices = new Slices(process.clock)
    this.#arrays.set('ENVIRON', new Map(Object.entries(process.environment).map(([n, v]) => [n, new Given(v)])))
  }

  /** Whether it looks at any input. */
  get reads(): boolean {
    return this.#program.rules.some(({ when }) => when !== 'BEGIN')
  }

  set(name: string, text: string): void {
    this.#variables.set(name, new Given(text))
  }

  file(name: string): void {
    this.#variables.set('FILENAME', name === '-' ? '' : name)
    this.#variables.set('FNR', 0)
  }

  /** True: it has ended. */
  begin(): Promise<boolean> {
    return this.#rules('BEGIN')
  }

  async record(line: string): Promise<boolean> {
    this.#load(line)
    this.#variables.set('NR', this.#number('NR') + 1)
    this.#variables.set('FNR', this.#number('FNR') + 1)
    return this.#rules(undefined)
  }

  /** What is to be done at the end; the exit code. */
  async end(): Promise<number> {
    if (!this.#left || this.#program.rules.some((r) => r.when === 'END')) {
      this.#left = false
      await this.#rules('END')
    }
    await this.#flush()
    return this.#status
  }

  #load(line: string): void {
    this.#record = line
    this.#fields = undefined
  }

  async #rules(kind: 'BEGIN' | 'END' | undefined): Promise<boolean> {
    if (this.#left) return true
    try {
      for (const rule of this.#program.rules) {
        const { when, body } = rule
        const wanted =
          when === 'BEGIN' || when === 'END' ? when === kind : kind === undefined && (when === undefined || (await this.#applies(when)))
        if (!wanted) continue
        if (body === undefined) await this.#print(this.#record + this.#text('ORS'))
        else await this.#run(body)
      }
    } catch (error) {
      if (!(error instanceof Leave)) throw error
      if (error.how === 'exit') {
        if (error.value !== '') this.#status = num(error.value) & 255
        this.#left = true
      }
    }
    await this.#flush()
    return this.#left
  }

  async #applies(when: Expression | readonly [Expression, Expression]): Promise<boolean> {
    if (!isRange(when)) return truth(await this.#value(when))
    const [from, to] = when
    if (!this.#open.has(when)) {
      if (!truth(await this.#value(from))) return false
      this.#open.add(when)
    }
    if (truth(await this.#value(to))) this.#open.delete(when)
    return true
  }

  async #print(text: string): Promise<void> {
    this.#out += text
    if (this.#out.length > BUFFER) await this.#flush()
  }

  async #flush(): Promise<void> {
    const text = this.#out
    this.#out = ''
    if (text !== '') await writeText(this.#process.stdout, text)
  }

  async #run(statement: Statement): Promise<void> {
    await this.#slices.next(this.#process.signal)
    switch (statement.kind) {
      case 'expression':
        await this.#value(statement.value)
        return
      case 'block':
        for (const one of statement.body) await this.#run(one)
        return
      case 'print':
        return this.#printed(statement)
      case 'if':
        if (truth(await this.#value(statement.test))) return this.#run(statement.yes)
        return statement.no && this.#run(statement.no)
      case 'loop': {
        const { first, test, step, body, atEnd } = statement
        if (first !== undefined) await this.#run(first)
        for (let round = 0; (atEnd && round === 0) || test === undefined || truth(await this.#value(test)); round++) {
          if (await this.#body(body)) return
          if (step !== undefined) await this.#run(step)
        }
        return
      }
      case 'each':
        for (const key of [...this.#array(statement.name).keys()]) {
          this.#assign({ kind: 'variable', name: statement.variable }, new Given(key))
          if (await this.#body(statement.body)) return
        }
        return
      case 'delete':
        if (statement.keys === undefined) this.#array(statement.name).clear()
        else this.#array(statement.name).delete(await this.#key(statement.keys))
        return
      case 'leave':
        throw new Leave(statement.how, statement.value === undefined ? '' : await this.#value(statement.value))
    }
  }

  /** A round of a loop; true: it was the last. */
  async #body(body: Statement): Promise<boolean> {
    try {
      await this.#run(body)
      return false
    } catch (error) {
      if (!(error instanceof Leave) || (error.how !== 'break' && error.how !== 'continue')) throw error
      return error.how === 'break'
    }
  }

  async #printed({ format, values, to }: Statement & { kind: 'print' }): Promise<void> {
    const texts: string[] = []
    for (const value of values) texts.push(text(await this.#value(value)))
    const [first = '', ...rest] = texts
    const said = format
      ? formatPrintf(first, rest)
      : (values.length === 0 ? this.#record : texts.join(this.#text('OFS'))) + this.#text('ORS')
    if (to === undefined) return this.#print(said)
    const name = text(await this.#value(to.file))
    if (name === '/dev/stderr') return writeText(this.#process.stderr, said)
    if (name === '/dev/stdout') return this.#print(said)
    const append = to.append || this.#opened.has(name)
    this.#opened.add(name)
    await this.#process.files.write(resolvePath(this.#process.directory, name), Buffer.from(said), { append })
  }

  async #value(of: Expression): Promise<Value> {
    switch (of.kind) {
      case 'number':
      case 'string':
        return of.value
      case 'regex':
        return Number(this.#regex(of.source).matcher(this.#record).find())
      case 'variable':
      case 'field':
      case 'element':
        return this.#at(of)
      case 'assign': {
        const given = await this.#value(of.value)
        const value =
          of.operator === '' ? given : calculate(of.operator === '**' ? '^' : of.operator, num(await this.#at(of.place)), num(given))
        await this.#store(of.place, value)
        return value
      }
      case 'step': {
        const before = num(await this.#at(of.place))
        await this.#store(of.place, before + of.by)
        return of.before ? before + of.by : before
      }
      case 'choice':
        return this.#value(truth(await this.#value(of.test)) ? of.yes : of.no)
      case 'in':
        return Number(this.#array(of.name).has(await this.#key(of.keys)))
      case 'unary': {
        const value = await this.#value(of.operand)
        if (of.operator === '()') return value
        return of.operator === '!' ? Number(!truth(value)) : of.operator === '-' ? -num(value) : num(value)
      }
      case 'binary':
        return this.#binary(of)
      case 'call':
        return this.#call(of.name, of.args)
      case 'getline':
        throw new Error('getline is not there in this awk')
    }
  }

  async #binary({ operator, left, right }: Expression & { kind: 'binary' }): Promise<Value> {
    const a = await this.#value(operator === '~' || operator === '!~' ? left : left)
    if (operator === '&&' || operator === '||') {
      if (truth(a) === (operator === '||')) return Number(operator === '||')
      return Number(truth(await this.#value(right)))
    }
    if (operator === '~' || operator === '!~') {
      const source = right.kind === 'regex' ? right.source : text(await this.#value(right))
      return Number(this.#regex(source).matcher(text(a)).find() === (operator === '~'))
    }
    const b = await this.#value(right)
    if (operator === ' ') return text(a) + text(b)
    if (/^[<>=!]/.test(operator)) return Number(compare(operator, a, b))
    return calculate(operator, num(a), num(b))
  }

  #regex(source: string): RE2JS {
    const known = this.#regexes.get(source) ?? RE2JS.compile(source)
    this.#regexes.set(source, known)
    return known
  }

  async #at(place: Place): Promise<Value> {
    if (place.kind === 'variable') {
      if (place.name === 'NF') return this.#split().length
      return this.#frame(place.name)?.values.get(place.name) ?? this.#variables.get(place.name) ?? new Given('')
    }
    if (place.kind === 'element') {
      const cells = this.#array(place.name)
      const key = await this.#key(place.keys)
      const value = cells.get(key) ?? new Given('')
      if (cells.size >= MOST_CELLS) throw new Error('too many elements')
      cells.set(key, value)
      return value
    }
    const index = num(await this.#value(place.index))
    if (index < 0) throw new Error(`access to negative field ${index}`)
    return index === 0 ? new Given(this.#record) : (this.#split()[index - 1] ?? new Given(''))
  }

  async #store(place: Place, value: Value): Promise<void> {
    if (place.kind === 'variable') return this.#assign(place, value)
    if (place.kind === 'element') {
      const cells = this.#array(place.name)
      if (cells.size >= MOST_CELLS) throw new Error('too many elements')
      return void cells.set(await this.#key(place.keys), value)
    }
    const index = num(await this.#value(place.index))
    if (index === 0) return this.#load(text(value))
    if (index < 0 || index > MOST_CELLS) throw new Error(`no such field: ${index}`)
    const fields = this.#split()
    while (fields.length < index) fields.push('')
    fields[index - 1] = value
    this.#record = fields.map(text).join(this.#text('OFS'))
  }

  #assign({ name }: Place & { kind: 'variable' }, value: Value): void {
    const frame = this.#frame(name)
    if (frame !== undefined) return void frame.values.set(name, value)
    if (name !== 'NF') return void this.#variables.set(name, value)
    const fields = this.#split()
    fields.length = Math.min(num(value), fields.length)
    while (fields.length < num(value) && fields.length < MOST_CELLS) fields.push('')
    this.#record = fields.map(text).join(this.#text('OFS'))
  }

  #frame(name: string) {
    const frame = this.#frames.at(-1)
    return frame?.values.has(name) ? frame : undefined
  }

  #array(name: string): Cells {
    const own = this.#frames.at(-1)?.arrays.get(name)
    if (own !== undefined) return own
    const home = this.#frame(name)?.arrays ?? this.#arrays
    const known = home.get(name) ?? new Map<string, Value>()
    home.set(name, known)
    return known
  }

  async #key(keys: readonly Expression[]): Promise<string> {
    const parts: string[] = []
    for (const key of keys) parts.push(text(await this.#value(key)))
    return parts.join(this.#text('SUBSEP'))
  }

  #split(): Value[] {
    this.#fields ??= this.#cut(this.#record, this.#text('FS'))
    return this.#fields
  }

  #cut(whole: string, separator: string): Value[] {
    if (separator === ' ')
      return whole
        .split(/[ \t\n]+/)
        .filter((part) => part !== '')
        .map((part) => new Given(part))
    if (whole === '') return []
    const parts = separator === '' ? [...whole] : separator.length === 1 ? whole.split(separator) : this.#regex(separator).split(whole, -1)
    return [...parts].map((part) => new Given(part))
  }

  #number(name: string): number {
    return num(this.#variables.get(name) ?? 0)
  }

  #text(name: string): string {
    return text(this.#variables.get(name) ?? '')
  }

  async #call(name: string, args: readonly Expression[]): Promise<Value> {
    const own = this.#program.functions.get(name)
    if (own !== undefined) return this.#callOwn(own, args)
    const [first, second, third] = args
    const arg = async (at: number) => {
      const given = args[at]
      return given === undefined ? '' : this.#value(given)
    }
    const string = async (at: number) => text(await arg(at))
    const number = async (at: number) => num(await arg(at))
    const pattern = async (of: Expression | undefined) =>
      this.#regex(of?.kind === 'regex' ? of.source : of === undefined ? '' : text(await this.#value(of)))
    switch (name) {
      case 'length':
        if (first?.kind === 'variable' && this.#arrays.has(first.name)) return this.#array(first.name).size
        return [...(first === undefined ? this.#record : await string(0))].length
      case 'substr': {
        const characters = [...(await string(0))]
        const from = Math.round(await number(1))
        const to = third === undefined ? Number.POSITIVE_INFINITY : from + Math.round(await number(2))
        return characters.slice(Math.max(0, from - 1), Math.max(0, to - 1)).join('')
      }
      case 'index':
        return (await string(0)).indexOf(await string(1)) + 1
      case 'split': {
        if (second?.kind !== 'variable') throw new Error('split: an array is expected')
        const whole = await string(0)
        const separator = third === undefined ? this.#text('FS') : third.kind === 'regex' ? `(?:${third.source})` : await string(2)
        const cells = this.#array(second.name)
        cells.clear()
        for (const [i, part] of this.#cut(whole, separator).entries()) cells.set(String(i + 1), part)
        return cells.size
      }
      case 'sub':
      case 'gsub': {
        const place: Place = third !== undefined && isPlaceOf(third) ? third : { kind: 'field', index: { kind: 'number', value: 0 } }
        const { changed, count } = substitute(text(await this.#at(place)), await pattern(first), await string(1), name === 'gsub')
        if (count > 0) await this.#store(place, changed)
        return count
      }
      case 'match': {
        const matcher = (await pattern(second)).matcher(await string(0))
        const found = matcher.find()
        this.#variables.set('RSTART', found ? matcher.start() + 1 : 0)
        this.#variables.set('RLENGTH', found ? matcher.end() - matcher.start() : -1)
        return found ? matcher.start() + 1 : 0
      }
      case 'sprintf': {
        const values: string[] = []
        for (let i = 1; i < args.length; i++) values.push(await string(i))
        return formatPrintf(await string(0), values)
      }
      case 'toupper':
        return (await string(0)).toUpperCase()
      case 'tolower':
        return (await string(0)).toLowerCase()
      case 'int':
        return Math.trunc(await number(0))
      case 'sqrt':
        return Math.sqrt(await number(0))
      case 'exp':
        return Math.exp(await number(0))
      case 'log':
        return Math.log(await number(0))
      case 'sin':
        return Math.sin(await number(0))
      case 'cos':
        return Math.cos(await number(0))
      case 'atan2':
        return Math.atan2(await number(0), await number(1))
      case 'systime':
        return Math.floor(this.#process.clock.now() / 1000)
      case 'fflush':
      case 'close':
        await this.#flush()
        return 0
      default:
        throw new Error(`function ${name} is not there in this awk`)
    }
  }

  async #callOwn(
    { parameters, body }: { readonly parameters: readonly string[]; readonly body: Statement },
    args: readonly Expression[],
  ): Promise<Value> {
    if (this.#frames.length >= DEEPEST) throw new Error('functions call each other too deep')
    const values = new Map<string, Value>()
    const arrays = new Map<string, Cells>()
    for (const [i, parameter] of parameters.entries()) {
      const given = args[i]
      values.set(parameter, '')
      if (given === undefined) continue
      const array = given.kind === 'variable' ? (this.#frames.at(-1)?.arrays.get(given.name) ?? this.#arrays.get(given.name)) : undefined
      if (array !== undefined) arrays.set(parameter, array)
      else values.set(parameter, await this.#value(given))
    }
    this.#frames.push({ values, arrays })
    try {
      await this.#run(body)
      return ''
    } catch (error) {
      if (error instanceof Leave && error.how === 'return') return error.value
      throw error
    } finally {
      this.#frames.pop()
    }
  }
}

const isRange = (when: Expression | readonly [Expression, Expression]): when is readonly [Expression, Expression] => Array.isArray(when)
const isPlaceOf = (of: Expression): of is Place => of.kind === 'variable' || of.kind === 'field' || of.kind === 'element'
