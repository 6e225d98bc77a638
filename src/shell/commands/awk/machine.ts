import type { Later, Steps } from '../../../base/steps.ts'
import { compileRegex } from '../../../machinery/go/compile-regex.ts'
import { resolvePath } from '../../paths.ts'
import { COMMAND_WORK } from '../../processes/pacer.ts'
import type { Process } from '../../processes/process.ts'
import { writeText } from '../../texts.ts'
import { matcherOf } from '../expressions.ts'
import { type Caller, FUNCTIONS, formatted } from './functions.ts'
import { InputRecord } from './record.ts'
import type { AwkFunction, AwkProgram, Expression, LValue, Statement } from './syntax.ts'
import { bounded, calculate, compare, Given, num, text, truth, UNSET, type Value } from './values.ts'
import { type Cells, MOST_CELLS, Variables } from './variables.ts'

class Leave extends Error {
  readonly how: string
  readonly value: Value
  constructor(how: string, value: Value = '') {
    super(how)
    this.how = how
    this.value = value
  }
}

/** Output that is held until it is written. */
const BUFFER = 8192

/** Runs an awk program, record by record. */
export class Machine implements Caller {
  readonly #program: AwkProgram
  readonly #process: Process
  readonly variables: Variables
  readonly #open = new Set<object>()
  readonly #opened = new Set<string>()
  readonly #record: InputRecord
  #out = ''
  #status = 0
  #left = false

  constructor(program: AwkProgram, process: Process) {
    this.#program = program
    this.#process = process
    this.variables = new Variables(process.environment)
    this.#record = new InputRecord(this.variables)
  }

  get line(): string {
    return this.#record.text
  }

  spend(work: number): Promise<void> {
    return this.#process.pacer.spend(work, this.#process.signal)
  }

  run<T>(steps: Steps<T>): Promise<T> {
    return this.#process.pacer.run(steps, this.#process.signal)
  }

  nowMs(): number {
    return this.#process.clock.now()
  }

  /** Whether it looks at any input. */
  get reads(): boolean {
    return this.#program.rules.some(({ when }) => when !== 'BEGIN')
  }

  set(name: string, text: string): void {
    this.variables.set(name, new Given(text))
  }

  file(name: string): void {
    this.variables.set('FILENAME', name === '-' ? '' : name)
    this.variables.set('FNR', 0)
  }

  /** True: it has ended. */
  begin(): Promise<boolean> {
    return this.#rules('BEGIN')
  }

  async record(line: string): Promise<boolean> {
    this.#record.load(line)
    this.variables.set('NR', this.variables.number('NR') + 1)
    this.variables.set('FNR', this.variables.number('FNR') + 1)
    return this.#rules(undefined)
  }

  /** What is to be done at the end; the exit code. */
  async end(): Promise<number> {
    if (!this.#left || this.#program.rules.some((r) => r.when === 'END')) {
      this.#left = false
      await this.#rules('END')
    }
    await this.flush()
    return this.#status
  }

  async #rules(kind: 'BEGIN' | 'END' | undefined): Promise<boolean> {
    if (this.#left) return true
    try {
      for (const rule of this.#program.rules) {
        const { when, body } = rule
        const wanted =
          when === 'BEGIN' || when === 'END' ? when === kind : kind === undefined && (when === undefined || (await this.#applies(when)))
        if (!wanted) continue
        if (body === undefined) await this.#print(this.#record.text + this.variables.text('ORS'))
        else await this.#run(body)
      }
    } catch (error) {
      if (!(error instanceof Leave)) throw error
      if (error.how === 'exit') {
        if (error.value !== '') this.#status = num(error.value) & 255
        this.#left = true
      }
    }
    await this.flush()
    return this.#left
  }

  async #applies(when: Expression | readonly [Expression, Expression]): Promise<boolean> {
    if (!isRange(when)) return truth(await this.value(when))
    const [from, to] = when
    if (!this.#open.has(when)) {
      if (!truth(await this.value(from))) return false
      this.#open.add(when)
    }
    if (truth(await this.value(to))) this.#open.delete(when)
    return true
  }

  async #print(text: string): Promise<void> {
    this.#out += text
    if (this.#out.length > BUFFER) await this.flush()
  }

  async flush(): Promise<void> {
    const text = this.#out
    this.#out = ''
    if (text !== '') await writeText(this.#process.stdout, text)
  }

  async #run(statement: Statement): Promise<void> {
    await this.#process.pacer.spend(COMMAND_WORK, this.#process.signal)
    switch (statement.kind) {
      case 'expression':
        await this.value(statement.value)
        return
      case 'block':
        for (const one of statement.body) await this.#run(one)
        return
      case 'print':
        return this.#printed(statement)
      case 'if':
        if (truth(await this.value(statement.test))) return this.#run(statement.yes)
        return statement.no && this.#run(statement.no)
      case 'loop': {
        const { first, test, step, body, atEnd } = statement
        if (first !== undefined) await this.#run(first)
        for (let round = 0; (atEnd && round === 0) || test === undefined || truth(await this.value(test)); round++) {
          if (await this.#body(body)) return
          if (step !== undefined) await this.#run(step)
        }
        return
      }
      case 'each':
        for (const key of [...this.variables.array(statement.name).keys()]) {
          await this.store({ kind: 'variable', name: statement.variable }, new Given(key))
          if (await this.#body(statement.body)) return
        }
        return
      case 'delete':
        if (statement.keys === undefined) this.variables.array(statement.name).clear()
        else this.variables.array(statement.name).delete(await this.#key(statement.keys))
        return
      case 'leave':
        throw new Leave(statement.how, statement.value === undefined ? '' : await this.value(statement.value))
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
    const found: Value[] = []
    for (const value of values) found.push(await this.value(value))
    const joined = () => (found.length === 0 ? this.#record.text : found.map(text).join(this.variables.text('OFS')))
    const output = format ? formatted(found) : joined() + this.variables.text('ORS')
    if (to === undefined) return this.#print(output)
    const name = text(await this.value(to.file))
    if (name === '/dev/stderr') return writeText(this.#process.stderr, output)
    if (name === '/dev/stdout') return this.#print(output)
    const append = to.append || this.#opened.has(name)
    this.#opened.add(name)
    await this.#process.files.write(resolvePath(this.#process.directory, name), Buffer.from(output), { append })
  }

  async value(of: Expression): Promise<Value> {
    switch (of.kind) {
      case 'number':
      case 'string':
        return of.value
      case 'regex':
        return Number(matcherOf(compileRegex(of.source), this.#record.text).find())
      case 'variable':
      case 'field':
      case 'element':
        return this.#at(of)
      case 'assign': {
        const given = await this.value(of.value)
        const value =
          of.operator === '' ? given : calculate(of.operator === '**' ? '^' : of.operator, num(await this.#at(of.place)), num(given))
        await this.store(of.place, value)
        return value
      }
      case 'step': {
        const before = num(await this.#at(of.place))
        await this.store(of.place, before + of.by)
        return of.before ? before + of.by : before
      }
      case 'choice':
        return this.value(truth(await this.value(of.test)) ? of.yes : of.no)
      case 'in':
        return Number(this.variables.array(of.name).has(await this.#key(of.keys)))
      case 'unary': {
        const value = await this.value(of.operand)
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
    const a = await this.value(left)
    if (operator === '&&' || operator === '||') {
      if (truth(a) === (operator === '||')) return Number(operator === '||')
      return Number(truth(await this.value(right)))
    }
    if (operator === '~' || operator === '!~') {
      const source = right.kind === 'regex' ? right.source : text(await this.value(right))
      return Number(matcherOf(compileRegex(source), text(a)).find() === (operator === '~'))
    }
    const b = await this.value(right)
    if (operator === ' ') return bounded(text(a) + text(b))
    if (/^[<>=!]/.test(operator)) return Number(compare(operator, a, b))
    return calculate(operator, num(a), num(b))
  }

  async #at(place: LValue): Promise<Value> {
    switch (place.kind) {
      case 'variable':
        return this.#isCount(place) ? this.#record.count : this.variables.get(place.name)
      case 'element': {
        const cells = this.variables.array(place.name)
        const key = await this.#key(place.keys)
        const value = cells.get(key)
        if (value === undefined) put(cells, key, UNSET)
        return value ?? UNSET
      }
      case 'field':
        return this.#record.field(num(await this.value(place.index)))
    }
  }

  async store(place: LValue, value: Value): Promise<void> {
    switch (place.kind) {
      case 'variable':
        if (this.#isCount(place)) this.#record.setCount(num(value))
        else this.variables.set(place.name, value)
        return
      case 'element':
        return put(this.variables.array(place.name), await this.#key(place.keys), value)
      case 'field':
        return this.#record.setField(num(await this.value(place.index)), value)
    }
  }

  #isCount({ name }: LValue & { kind: 'variable' }): boolean {
    return name === 'NF' && !this.variables.isOwn(name)
  }

  async #key(keys: readonly Expression[]): Promise<string> {
    const parts: string[] = []
    for (const key of keys) parts.push(text(await this.value(key)))
    return parts.join(this.variables.text('SUBSEP'))
  }

  #call(name: string, args: readonly Expression[]): Later<Value> {
    const own = this.#program.functions.get(name)
    if (own !== undefined) return this.#callOwn(own, args)
    const builtin = FUNCTIONS.get(name)
    if (builtin === undefined) throw new Error(`function ${name} is not there in this awk`)
    return builtin(this, args)
  }

  async #callOwn({ parameters, body }: AwkFunction, args: readonly Expression[]): Promise<Value> {
    const values = new Map<string, Value>()
    const arrays = new Map<string, Cells>()
    for (const [i, parameter] of parameters.entries()) {
      const given = args[i]
      const value = given === undefined ? UNSET : await this.value(given)
      values.set(parameter, value)
      // What is nothing yet may become an array in the function: it is the caller's.
      if (given?.kind === 'variable' && value === UNSET) arrays.set(parameter, this.variables.array(given.name))
    }
    return this.variables.within({ values, arrays }, async () => {
      try {
        await this.#run(body)
        return UNSET
      } catch (error) {
        if (error instanceof Leave && error.how === 'return') return error.value
        throw error
      }
    })
  }
}

function put(cells: Cells, key: string, value: Value): void {
  if (cells.size >= MOST_CELLS && !cells.has(key)) throw new Error('too many elements')
  cells.set(key, value)
}

const isRange = (when: Expression | readonly [Expression, Expression]): when is readonly [Expression, Expression] => Array.isArray(when)
