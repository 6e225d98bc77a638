import type { YAMLException } from 'js-yaml'

/** Invalid YAML, or YAML that cannot be represented as JSON. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
  /** The line of the text where it is wrong, from 1; undefined where no line is. Messages count as Go's parser does. */
  readonly line: number | undefined

  constructor(message: string, line?: number) {
    super(message)
    this.line = line
  }
}

/**
 * Rewords a parser error in Go's words. `block`: the form of the document that the error ends, if it is one in block style. Go's parser
 * counts lines from zero where its scanner counts from one; this keeps its numbers.
 */
export function explainYaml(source: string, error: YAMLException, block?: 'list' | 'map'): YamlError {
  const { text, from } = translate(source, error, block)
  if (from === 'reader') return new YamlError(`yaml: ${text}`)
  const atEnd = error.reason.startsWith('unexpected end of the stream')
  const zeroBased = atEnd ? endLine(source) : (error.mark?.line ?? 0)
  const line = from === 'scanner' && !atEnd ? zeroBased + 1 : zeroBased
  return new YamlError(line === 0 ? `yaml: ${text}` : `yaml: line ${line}: ${text}`, zeroBased + 1)
}

type TranslatedReason = { text: string; from: 'reader' | 'scanner' | 'parser' }

function translate(source: string, error: YAMLException, block: 'list' | 'map' | undefined): TranslatedReason {
  const { reason } = error
  const at = error.mark?.position ?? 0
  const here = source[at] ?? ''
  const parser = (text: string): TranslatedReason => ({ text, from: 'parser' })
  const scanner = (text: string): TranslatedReason => ({ text, from: 'scanner' })
  if (reason.includes('non-printable')) return { text: 'control characters are not allowed', from: 'reader' }
  if (reason.includes('within a flow collection')) return parser(unclosed(source))
  if (reason.includes('quoted scalar')) return scanner('found unexpected end of stream')
  if (reason.includes('missed comma')) return parser(`did not find expected ',' or ${opener(source, at) === '{' ? "'}'" : "']'"}`)
  if (reason.includes('expected the node content')) return parser('did not find expected node content')
  if (here === '@' || here === '`' || /[@`%]/.test(firstOfValue(source, at)) || reason.includes('tab characters'))
    return scanner('found character that cannot start any token')
  if (reason.includes('mapping entry') && here === ':') return scanner('mapping values are not allowed in this context')
  if (reason.includes('implicit key') || reason.includes("expected ':'")) return scanner("could not find expected ':'")
  if (reason.includes('sequence entry')) return parser("did not find expected '-' indicator")
  if (reason.includes('mapping entry')) return parser('did not find expected key')
  if (reason.includes('unknown escape')) return scanner('found unknown escape character')
  if (reason.includes('undeclared tag')) return parser('found undefined tag handle')
  if (block !== undefined) return parser(block === 'list' ? "did not find expected '-' indicator" : 'did not find expected key')
  if (reason.includes('maxDepth')) return parser('exceeded max depth of 10000')
  return parser('did not find expected node content')
}

/** What is missing at the end of an unclosed list or map. */
function unclosed(source: string): string {
  const last = source.trimEnd().at(-1) ?? ''
  if ('[{,:'.includes(last)) return 'did not find expected node content'
  return `did not find expected ',' or ${opener(source, source.length) === '{' ? "'}'" : "']'"}`
}

function opener(source: string, end: number): string {
  let depth = 0
  for (let i = Math.min(end, source.length) - 1; i >= 0; i--) {
    const c = source[i] ?? ''
    if (c === ']' || c === '}') depth++
    else if (c === '[' || c === '{') {
      if (depth === 0) return c
      depth--
    }
  }
  return '['
}

function firstOfValue(source: string, at: number): string {
  const line = source.slice(source.lastIndexOf('\n', Math.max(0, at - 1)) + 1).split('\n', 1)[0] ?? ''
  return /^\s*(?:- +(?! ))*(?!- )(?:[^:#"'\s][^:#"']*: +)?([@`%])/.exec(line)?.[1] ?? ''
}

/** The line of the end for Go: a last line without a line break is closed first. */
function endLine(source: string): number {
  const lines = source.split('\n')
  return lines.length - (lines.at(-1) === '' ? 1 : 0)
}
