/** The widest line of a comment, in columns. */
export const COMMENT_COLUMNS = 140

const COMMENT = /^(\s*)(\/\/ |\/\*\* |\* )(.*)$/

/** Numbers (from 1) of the lines that are comments and too wide. Comments behind code are biome's. */
export function wideComments(text: string): number[] {
  return text.split('\n').flatMap((line, i) => (line.length > COMMENT_COLUMNS && COMMENT.test(line) ? [i + 1] : []))
}

/**
 * The text with its wide comments wrapped. What does not fit goes on with the rest of its paragraph; paragraphs that fit stay as they are.
 */
export function wrapComments(text: string): string {
  const done: string[] = []
  const left = text.split('\n').reverse()
  for (let line = left.pop(); line !== undefined; line = left.pop()) {
    const { first, start, words, last } = partsOf(line)
    if (line.length <= COMMENT_COLUMNS || start === undefined) {
      done.push(line)
      continue
    }
    const paragraph = [words]
    let end = last
    while (end === undefined && continues(left.at(-1), start)) {
      const next = partsOf(left.pop() ?? '')
      paragraph.push(next.words)
      end = next.last
    }
    done.push(...first, ...fill(paragraph.join(' '), start), ...(end === undefined ? [] : [end]))
  }
  return done.join('\n')
}

interface CommentLine {
  /** What goes before the words, on a line of its own: the opening of a doc comment. */
  readonly first: readonly string[]
  /** How each line of the comment begins. Undefined: the line is none. */
  readonly start?: string
  readonly words: string
  /** The line that closes the comment, where this one did. */
  readonly last?: string
}

function partsOf(line: string): CommentLine {
  const [, indent = '', marker = '', rest] = COMMENT.exec(line) ?? []
  if (rest === undefined) return { first: [], words: line }
  if (marker === '// ') return { first: [], start: `${indent}// `, words: rest }
  const margin = marker === '* ' ? indent : `${indent} `
  const closed = rest.endsWith('*/')
  return {
    first: marker === '* ' ? [] : [`${indent}/**`],
    start: `${margin}* `,
    words: rest.replace(/\s*\*\/$/, ''),
    ...(closed && { last: `${margin}*/` }),
  }
}

/** Whether a line goes on with the paragraph before it: an item of a list, a tag, a row of a table and code do not. */
function continues(line: string | undefined, start: string): boolean {
  const next = partsOf(line ?? '')
  return next.first.length === 0 && next.start === start && next.words !== '' && !/^(@|[-*|>#]|\d+\.|```|biome-ignore|\s)/.test(next.words)
}

/** Words in lines of at most `COMMENT_COLUMNS`, each after `start`. A word that is longer has a line of its own. */
function fill(words: string, start: string): string[] {
  const lines: string[] = []
  let line = start
  for (const word of words.split(' ')) {
    if (line !== start && line.length + 1 + word.length > COMMENT_COLUMNS) {
      lines.push(line)
      line = start
    }
    line += line === start ? word : ` ${word}`
  }
  return [...lines, line]
}
