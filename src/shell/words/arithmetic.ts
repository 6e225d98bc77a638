import type { ArithmeticExpression } from 'unbash'
import { ShellError, type ShellState } from '../shell-state.ts'

type Operation = (a: bigint, b: bigint) => bigint

const truth = (b: boolean) => (b ? 1n : 0n)
const divide =
  (by: Operation): Operation =>
  (a, b) => {
    if (b === 0n) throw new ShellError('division by zero')
    return by(a, b)
  }

const BINARY: Readonly<Record<string, Operation>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': divide((a, b) => a / b),
  '%': divide((a, b) => a % b),
  '<<': (a, b) => a << (b & 63n),
  '>>': (a, b) => a >> (b & 63n),
  '<': (a, b) => truth(a < b),
  '>': (a, b) => truth(a > b),
  '<=': (a, b) => truth(a <= b),
  '>=': (a, b) => truth(a >= b),
  '==': (a, b) => truth(a === b),
  '!=': (a, b) => truth(a !== b),
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '**': (a, b) => {
    if (b < 0n || b > 1024n) throw new ShellError('exponent out of range')
    return a ** b
  },
  ',': (_, b) => b,
}

/** How an operand with `$x` in it becomes text. */
export type ExpandText = (expression: ArithmeticExpression) => Promise<string>

/**
 * The value of `$((…))`: integers of 64 bits that wrap.
 * @throws {ShellError} for a division by zero, or what is no number
 */
export async function evaluate(expression: ArithmeticExpression, state: ShellState, expand: ExpandText): Promise<bigint> {
  const value = (e: ArithmeticExpression) => evaluate(e, state, expand)
  switch (expression.type) {
    case 'ArithmeticGroup':
      return value(expression.expression)
    case 'ArithmeticTernary':
      return value((await value(expression.test)) === 0n ? expression.alternate : expression.consequent)
    case 'ArithmeticWord':
    case 'ArithmeticCommandExpansion':
      return readOperand(await expand(expression), state)
    case 'ArithmeticUnary': {
      const { operator, operand, prefix } = expression
      const old = await value(operand)
      if (operator === '++' || operator === '--') {
        const now = wrap(operator === '++' ? old + 1n : old - 1n)
        state.set(nameOf(operand), String(now))
        return prefix ? now : old
      }
      if (operator === '-') return wrap(-old)
      if (operator === '!') return truth(old === 0n)
      return operator === '~' ? ~old : old
    }
    case 'ArithmeticBinary': {
      const { operator, left, right } = expression
      if (operator === '&&') return truth((await value(left)) !== 0n && (await value(right)) !== 0n)
      if (operator === '||') return truth((await value(left)) !== 0n || (await value(right)) !== 0n)
      const assigns = operator.endsWith('=') && BINARY[operator] === undefined
      if (operator !== '=' || !assigns) {
        const operation = BINARY[assigns ? operator.slice(0, -1) : operator]
        if (operation === undefined) throw new ShellError(`arithmetic syntax error: ${operator}`)
        const result = wrap(operation(await value(left), await value(right)))
        if (assigns) state.set(nameOf(left), String(result))
        return result
      }
      const result = await value(right)
      state.set(nameOf(left), String(result))
      return result
    }
  }
}

function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value)
}

function nameOf(expression: ArithmeticExpression): string {
  if (expression.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.test(expression.value)) return expression.value
  throw new ShellError('arithmetic syntax error: a name is expected')
}

/** A number in C's notation, or a variable whose value is one. */
function readOperand(text: string, state: ShellState): bigint {
  const word = text.trim()
  if (/^[A-Za-z_]\w*$/.test(word)) return readNumber(state.get(word)?.trim() || '0')
  return readNumber(word === '' ? '0' : word)
}

function readNumber(word: string): bigint {
  const [, sign, digits] = word.match(/^([-+]?)(0[xX][0-9a-fA-F]+|\d+)$/) ?? []
  if (digits === undefined || digits.length > 64) throw new ShellError(`arithmetic syntax error: ${word}`)
  const octal = /^0[0-7]+$/.test(digits)
  const value = BigInt(octal ? `0o${digits.slice(1)}` : digits)
  return wrap(sign === '-' ? -value : value)
}
