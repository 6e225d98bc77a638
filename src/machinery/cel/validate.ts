import { children, type Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import type { Environment } from './environment.ts'
import type { Issue } from './issues.ts'
import { showTypeInFault } from './types.ts'

/**
 * What Kubernetes requires of checked programs (cel-go's AST validators): elements of a list, keys and values of a map are of the very same
 * type, where neither `dyn` nor `any` counts as another; and libraries may check calls of their own.
 */
export function validate(expr: Expr, env: Environment, checked: Checked): Issue[] {
  const issues: Issue[] = []
  /** Of a list the first that differs is told, of a map each. */
  const sameTypes = (items: readonly Expr[], most: number, optional: (i: number) => boolean = () => false) => {
    const types = items.map((item, i) => {
      const type = checked.types.get(item) ?? ({ kind: 'error' } as const)
      return showTypeInFault(optional(i) && type.kind === 'opaque' ? (type.params[0] ?? type) : type)
    })
    const odd = items.flatMap(({ at }, i) =>
      types[i] === types[0] ? [] : [{ at, message: `expected type '${types[0]}' but found '${types[i]}'` }],
    )
    issues.push(...odd.slice(0, most))
  }
  // Macros use an argument twice.
  const seen = new Set<Expr>()
  // Anything below the arguments of `format` may be mixed.
  const visit = (e: Expr, mixed: boolean): void => {
    if (seen.has(e)) return
    seen.add(e)
    if (e.kind === 'call' && Object.hasOwn(env.callChecks, e.name)) {
      const issue = env.callChecks[e.name]?.(e, checked.types)
      if (issue !== undefined) issues.push(issue)
    }
    if (!mixed && env.sameTypes) {
      if (e.kind === 'list') sameTypes(e.elements, 1, (i) => e.optional.has(i))
      if (e.kind === 'map') {
        sameTypes(
          e.entries.map((entry) => entry.key),
          e.entries.length,
        )
        sameTypes(
          e.entries.map((entry) => entry.value),
          e.entries.length,
          (i) => e.entries[i]?.optional === true,
        )
      }
    }
    const below = mixed || (e.kind === 'call' && e.name === 'format')
    for (const child of children(e)) visit(child, below)
  }
  visit(expr, false)
  return issues
}
