import type { TestExpression } from 'unbash'
import { compileExpression, matcherOf } from './commands/expressions.ts'
import { resolvePath } from './paths.ts'
import { ShellError } from './shell-state.ts'
import { type ExpansionContext, expandPattern, expandText } from './words/expand.ts'
import { compilePattern } from './words/pattern.ts'

/** `[[ … ]]`. */
export async function evaluateTest(expression: TestExpression, context: ExpansionContext): Promise<boolean> {
  switch (expression.type) {
    case 'TestGroup':
      return evaluateTest(expression.expression, context)
    case 'TestNot':
      return (expression.negations.length % 2 === 1) !== (await evaluateTest(expression.operand, context))
    case 'TestLogical': {
      for (const [i, operand] of expression.operands.entries()) {
        const holds = await evaluateTest(operand, context)
        if (holds !== (expression.operator === '&&') || i === expression.operands.length - 1) return holds
      }
      return false
    }
    case 'TestUnary':
      return testUnary(expression.operator, await expandText(expression.operand, context), context)
    case 'TestBinary': {
      const left = await expandText(expression.left, context)
      if (['=', '==', '!='].includes(expression.operator)) {
        const pattern = compilePattern(await expandPattern(expression.right, context))
        return (await context.run(pattern.fits(left))) === (expression.operator !== '!=')
      }
      if (expression.operator === '=~') return matcherOf(compileExpression(await expandText(expression.right, context), true), left).find()
      return testBinary(left, expression.operator, await expandText(expression.right, context), context)
    }
  }
}

/** `test` and `[`, without the closing bracket: POSIX counts the words first. */
export function testWords(words: readonly string[], context: ExpansionContext): Promise<boolean> {
  return testRange(words, { from: 0, to: words.length }, context)
}

/** Words from one index up to another: parts of thousands of words are not copied. */
interface WordRange {
  readonly from: number
  readonly to: number
}

async function testRange(words: readonly string[], range: WordRange, context: ExpansionContext): Promise<boolean> {
  let { from, to } = range
  let negated = false
  for (;;) {
    const [a = '', b = '', c = ''] = words.slice(from, Math.min(from + 3, to))
    const count = to - from
    if (count === 0) return negated
    if (count === 1) return (a !== '') !== negated
    if (count === 3 && BINARY.has(b)) return (await testBinary(a, b, c, context)) !== negated
    if (a === '!') [from, negated] = [from + 1, !negated]
    else if (a === '(' && words[to - 1] === ')') [from, to] = [from + 1, to - 1]
    else if (count === 2) return (await testUnary(a, b, context)) !== negated
    else return (await testLogical(words, { from, to }, context)) !== negated
  }
}

/** Parts that `-o` joins, each of them parts that `-a` joins. All are evaluated. */
async function testLogical(words: readonly string[], range: WordRange, context: ExpansionContext): Promise<boolean> {
  const operator = operatorAt(words, range, '-o') === undefined ? '-a' : '-o'
  const results: boolean[] = []
  let { from } = range
  const { to } = range
  for (;;) {
    // Three words with a comparison are one part, whatever they are called.
    const at = to - from === 3 && BINARY.has(words[from + 1] ?? '') ? undefined : operatorAt(words, { from, to }, operator)
    if (at === undefined && results.length === 0) throw new ShellError(`test: ${words[from]}: unknown operand`, 1)
    results.push(await testRange(words, { from, to: at ?? to }, context))
    if (at === undefined) return operator === '-o' ? results.includes(true) : !results.includes(false)
    from = at + 1
  }
}

/** The first one that does not begin the words. */
function operatorAt(words: readonly string[], { from, to }: WordRange, operator: string): number | undefined {
  const at = words.indexOf(operator, from + 1)
  return at < 0 || at >= to ? undefined : at
}

const BINARY: ReadonlySet<string> = new Set(['=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef'])

async function testUnary(operator: string, operand: string, { state, files, isTerminal }: ExpansionContext): Promise<boolean> {
  if (operator === '-n') return operand !== ''
  if (operator === '-z') return operand === ''
  if (operator === '-v') return state.get(operand) !== undefined
  if (operator === '-t') return isTerminal(Number(operand))
  if (!/^-[bcdefghkLprSsuwx]$/.test(operator)) throw new ShellError(`test: ${operator}: unknown operand`, 1)
  const path = resolvePath(state.directory, operand)
  if (operator === '-L' || operator === '-h')
    return files.readLink(path).then(
      () => true,
      () => false,
    )
  const found = await files.status(path)
  if (found === undefined) return false
  switch (operator) {
    case '-d':
      return found.kind === 'directory'
    case '-f':
      return found.kind === 'file'
    case '-s':
      return found.sizeBytes > 0
    case '-x':
      return (found.mode & 0o111) !== 0
    case '-w':
      return (found.mode & 0o222) !== 0
    case '-b':
    case '-c':
      return found.kind === 'device'
    case '-p':
    case '-S':
    case '-g':
    case '-k':
    case '-u':
      return false
    default:
      return true
  }
}

async function testBinary(left: string, operator: string, right: string, { state, files }: ExpansionContext): Promise<boolean> {
  switch (operator) {
    case '=':
    case '==':
      return left === right
    case '!=':
      return left !== right
    case '<':
      return left < right
    case '>':
      return left > right
    case '-nt':
    case '-ot': {
      const at = async (name: string) => (await files.status(resolvePath(state.directory, name)))?.modifiedAtMs ?? Number.NEGATIVE_INFINITY
      return operator === '-nt' ? (await at(left)) > (await at(right)) : (await at(left)) < (await at(right))
    }
    case '-ef':
      return resolvePath(state.directory, left) === resolvePath(state.directory, right)
    case '=~':
      throw new ShellError('test: =~ is not there in this shell', 1)
    default: {
      const [a, b] = [integer(left), integer(right)]
      return { '-eq': a === b, '-ne': a !== b, '-lt': a < b, '-le': a <= b, '-gt': a > b, '-ge': a >= b }[operator] ?? false
    }
  }
}

function integer(text: string): bigint {
  if (!/^\s*[-+]?\d{1,20}\s*$/.test(text)) throw new ShellError(`test: ${text}: bad number`, 1)
  return BigInt(text.trim().replace(/^\+/, ''))
}
