import { faultText, invalid } from '../field-error.ts'
import { qualifiedName } from '../names.ts'
import { binaryOperators, createRequirement, type LabelOperator, type LabelRequirement, SelectorError } from './label-requirement.ts'

type Kind = LabelOperator | 'identifier' | 'end' | '>' | '<' | '(' | ')' | ','
interface Token {
  readonly kind: Kind
  readonly text: string
}

const tokenPattern = /[ \t\r\n]*(==|!=|[=!(),<>]|[^=!(),<> \t\r\n]+)/y

function scan(selector: string): Token[] {
  const nul = selector.indexOf('\0')
  const text = nul < 0 ? selector : selector.slice(0, nul)
  const tokens: Token[] = []
  tokenPattern.lastIndex = 0
  for (let match = tokenPattern.exec(text); match !== null; match = tokenPattern.exec(text)) {
    const found = match[1] ?? ''
    const isKeyword = found === 'in' || found === 'notin' || '=!(),<>'.includes(found.charAt(0))
    tokens.push({ kind: isKeyword ? (found as Kind) : 'identifier', text: found })
  }
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

/**
 * Kubernetes' grammar of label selectors, by recursive descent.
 * @throws {SelectorError} in its words
 */
export function parseRequirements(selector: string): LabelRequirement[] {
  const tokens = scan(selector)
  let at = 0
  const here = (): Token => tokens[at] ?? { kind: 'end', text: '' }
  // `in` and `notin` are ordinary identifiers in the position of a key or value.
  const kind = (): Kind => (here().kind === 'in' || here().kind === 'notin' ? 'identifier' : here().kind)
  const fail = (why: string): never => {
    throw new SelectorError(why)
  }
  const requirement = (why: string): never => fail(`unable to parse requirement: ${why}`)

  function key(): string {
    if (kind() !== 'identifier') return requirement(`found '${here().text}', expected: identifier`)
    const text = here().text
    const wrong = qualifiedName(text)
    if (wrong.length > 0) return requirement(faultText(invalid('', text, wrong.join('; '))))
    at++
    return text
  }

  function operator(): LabelOperator {
    const { kind: found, text } = here()
    at++
    if (found === '>') return 'gt'
    if (found === '<') return 'lt'
    if (found === 'in' || found === 'notin' || found === '=' || found === '==' || found === '!=') return found
    return requirement(`found '${text}', expected: ${binaryOperators.join(', ')}`)
  }

  function exactValue(): string[] {
    if (kind() === 'end' || kind() === ',') return ['']
    if (kind() !== 'identifier') return requirement(`found '${here().text}', expected: identifier`)
    return [tokens[at++]?.text ?? '']
  }

  function values(): string[] {
    if (kind() !== '(') return requirement(`found '${here().text}' expected: '('`)
    at++
    if (kind() === ')') {
      at++
      return ['']
    }
    if (kind() !== 'identifier' && kind() !== ',') return requirement(`found '${here().text}', expected: ',', ')' or identifier`)
    const found = identifiers()
    at++
    return [...found].sort()
  }

  function identifiers(): Set<string> {
    const found = new Set<string>()
    for (;;) {
      const text = here().text
      const what = kind()
      at++
      if (what === 'identifier') {
        found.add(text)
        if (kind() === ')') return found
        if (kind() !== ',') return requirement(`found '${here().text}', expected: ',' or ')'`)
      } else if (what === ',') {
        if (found.size === 0 || kind() === ')' || kind() === ',') found.add('')
        if (kind() === ')') return found
      } else return requirement(`found '${text}', expected: ',', or identifier`)
    }
  }

  function one(): LabelRequirement {
    const absent = kind() === '!'
    if (absent) at++
    const name = key()
    if (absent || kind() === 'end' || kind() === ',') return build(name, absent ? '!' : 'exists', [])
    const op = operator()
    return build(name, op, op === 'in' || op === 'notin' ? values() : exactValue())
  }

  function build(name: string, op: LabelOperator, list: string[]): LabelRequirement {
    try {
      return createRequirement(name, op, list)
    } catch (error) {
      return requirement(error instanceof SelectorError ? error.message : String(error))
    }
  }

  const found: LabelRequirement[] = []
  if (kind() === 'end') return found
  for (;;) {
    if (kind() !== 'identifier' && kind() !== '!') {
      if (found.length > 0) return fail(`found '${here().text}', expected: identifier after ','`)
      return fail(`found '${here().text}', expected: !, identifier, or 'end of string'`)
    }
    found.push(one())
    if (kind() === 'end') return found
    if (kind() !== ',') return fail(`found '${here().text}', expected: ',' or 'end of string'`)
    at++
  }
}
