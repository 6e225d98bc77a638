import type { Expr } from '../ast.ts'
import type { Environment } from '../environment.ts'

/** True for a call of literals, and of such calls, only: it is evaluated at compile time. */
export const isConstantCall = (e: Expr, env: Environment): e is Expr & { kind: 'call' } =>
  e.kind === 'call' &&
  e.target === undefined &&
  env.folded.has(e.name) &&
  e.args.length > 0 &&
  e.args.every((a) => a.kind === 'literal' || isConstantCall(a, env))

/** What is known before it runs, also lists and maps of nothing else: they are made once, and cost nothing, as in cel-go. */
export class Constants {
  readonly #env: Environment
  /** Nested literals are asked for at each level. */
  readonly #known = new Map<Expr, boolean>()

  constructor(env: Environment) {
    this.#env = env
  }

  has(e: Expr): boolean {
    let known = this.#known.get(e)
    if (known === undefined) {
      known = this.#isConstant(e)
      this.#known.set(e, known)
    }
    return known
  }

  #isConstant(e: Expr): boolean {
    if (e.kind === 'list') return e.elements.every((item) => this.has(item))
    if (e.kind === 'map') return e.entries.every(({ key, value }) => this.has(key) && this.has(value))
    return e.kind === 'literal' || isConstantCall(e, this.#env)
  }
}
