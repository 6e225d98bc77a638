import type { Matcher } from 're2js'
import type { Steps } from '../../../base/steps.ts'
import { matcherOf, substituteMatches } from '../expressions.ts'
import type { Action, Address, Edit, SubstituteAction } from './sed-script.ts'

export interface LineEditorDeps {
  /** Prints a line. */
  readonly print: (line: string) => Promise<void>
  readonly run: <T>(steps: Steps<T>) => Promise<T>
}

/** Carries out the commands of a script for one line after the other. */
export class LineEditor {
  readonly #edits: readonly Edit[]
  readonly #quiet: boolean
  readonly #deps: LineEditorDeps
  /** Ranges whose first line has come and whose last has not. */
  readonly #open = new Set<Edit>()
  #number = 0
  #last = false
  /** The line as it is now; undefined: it was deleted. */
  #line: string | undefined
  /** What `a` prints after the line. */
  #after: string[] = []
  #quits = false

  constructor(edits: readonly Edit[], quiet: boolean, deps: LineEditorDeps) {
    this.#edits = edits
    this.#quiet = quiet
    this.#deps = deps
  }

  /** Resolves with whether there is a next line to edit: `q` ends the script. */
  async edit(line: string, last: boolean): Promise<boolean> {
    this.#number++
    this.#last = last
    this.#line = line
    this.#after = []
    for (const edit of this.#edits) {
      if (this.#line === undefined || this.#quits) break
      if (this.#isFor(edit, this.#line) !== edit.negated) await this.#carryOut(edit.action, this.#line)
    }
    if (this.#line !== undefined && !this.#quiet) await this.#deps.print(this.#line)
    for (const text of this.#after) await this.#deps.print(text)
    return !this.#quits
  }

  async #carryOut(action: Action, line: string): Promise<void> {
    switch (action.kind) {
      case 'delete':
        this.#line = undefined
        return
      case 'change':
        this.#line = undefined
        return this.#deps.print(action.text)
      case 'print':
        return this.#deps.print(line)
      case 'insert':
        return this.#deps.print(action.text)
      case 'append':
        this.#after.push(action.text)
        return
      case 'quit':
        this.#quits = true
        return
      case 'substitute':
        return this.#substitute(action, line)
    }
  }

  async #substitute({ expression, replacement, all, print }: SubstituteAction, line: string): Promise<void> {
    const steps = substituteMatches(expression, line, { replacement: (matcher) => filledIn(replacement, matcher), all })
    const { text, count } = await this.#deps.run(steps)
    this.#line = text
    if (print && count > 0) await this.#deps.print(text)
  }

  #isFor(edit: Edit, line: string): boolean {
    const { from, to } = edit
    if (from === undefined) return true
    if (to === undefined) return this.#fits(from, line)
    if (this.#open.has(edit)) {
      if (this.#fits(to, line) || (to.kind === 'line' && to.number < this.#number)) this.#open.delete(edit)
      return true
    }
    if (!this.#fits(from, line)) return false
    if (to.kind !== 'line' || to.number > this.#number) this.#open.add(edit)
    return true
  }

  #fits(address: Address, line: string): boolean {
    switch (address.kind) {
      case 'line':
        return address.number === this.#number
      case 'last':
        return this.#last
      case 'match':
        return matcherOf(address.expression, line).find()
    }
  }
}

/** `&` and `\1` in a replacement are what was matched. */
function filledIn(replacement: string, matcher: Matcher): string {
  const group = (n: number) => (n <= matcher.groupCount() ? (matcher.group(n) ?? '') : '')
  return replacement.replace(/\\(\d|n|.)|&/gs, (whole, c?: string) => {
    if (whole === '&') return group(0)
    if (c === 'n') return '\n'
    return /\d/.test(c ?? '') ? group(Number(c)) : (c ?? '')
  })
}
