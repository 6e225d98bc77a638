import { structType } from '../../../machinery/cel/admission/request-type.ts'
import { type Expr, walk } from '../../../machinery/cel/ast.ts'
import { createEnvironment } from '../../../machinery/cel/environment.ts'
import { CelIssues } from '../../../machinery/cel/issues.ts'
import { KUBERNETES_LIBRARIES } from '../../../machinery/cel/kubernetes/libraries.ts'
import { compile, type Program } from '../../../machinery/cel/program.ts'
import { ANY, listOf, mapOf, STRING } from '../../../machinery/cel/types.ts'
import { CelError } from '../../../machinery/cel/values.ts'

/** A compiled expression over `claims` or `user`. */
export interface ClaimProgram {
  readonly source: string
  readonly program: Program
}

/** A validation rule with its message. */
export interface RuleProgram extends ClaimProgram {
  readonly message: string
}

/** The compiled expressions of one authenticator. */
export interface JwtPrograms {
  readonly username: ClaimProgram | undefined
  readonly groups: ClaimProgram | undefined
  readonly uid: ClaimProgram | undefined
  readonly extra: readonly (ClaimProgram & { readonly key: string })[]
  readonly claimRules: readonly RuleProgram[]
  readonly userRules: readonly RuleProgram[]
}

const env = createEnvironment(KUBERNETES_LIBRARIES)
const CLAIMS = [{ name: 'claims', type: mapOf(STRING, ANY) }]
const USER = [
  {
    name: 'user',
    type: structType('kubernetes.UserInfo', {
      username: STRING,
      uid: STRING,
      groups: listOf(STRING),
      extra: mapOf(STRING, listOf(STRING)),
    }),
  },
]

type Compiled = { readonly compiled: ClaimProgram; readonly fault?: undefined } | { readonly compiled?: undefined; readonly fault: string }

/** Compiles an expression; a rule must be a bool. The fault has Kubernetes' message. */
export function compileClaimExpression(source: string, over: 'claims' | 'user', wanted: 'any' | 'bool'): Compiled {
  try {
    const program = compile(source, { env, variables: over === 'claims' ? CLAIMS : USER })
    if (wanted === 'bool' && program.type.kind !== 'bool') return { fault: 'must evaluate to bool' }
    return { compiled: { source, program } }
  } catch (error) {
    if (error instanceof CelIssues) return { fault: `compilation failed: ${error.message}` }
    if (error instanceof CelError) return { fault: `program instantiation failed: ${error.message}` }
    throw error
  }
}

/** Whether an expression reads a claim by `claims.NAME` or `claims.?NAME`. */
export function usesClaim({ program }: ClaimProgram, name: string): boolean {
  const isClaims = (e: Expr | undefined) => e?.kind === 'ident' && e.name === 'claims'
  let found = false
  walk(program.expr, (e) => {
    if (e.kind === 'select') found ||= e.field === name && isClaims(e.operand)
    else if (e.kind === 'call' && e.name === '_?._') {
      const [operand, field] = e.args
      found ||= isClaims(operand) && field?.kind === 'literal' && field.value.type === 'string' && field.value.value === name
    }
  })
  return found
}
