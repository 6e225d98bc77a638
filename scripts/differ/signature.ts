/**
 * What is alike in differences that have one cause: the path to the difference without indexes, and both values without names, numbers and
 * quoted texts.
 */
export function signatureOf(why: string): string {
  const [, at = '', values = ''] = /^step \d+ \w+ \S* ?(\S*): (want .*)$/s.exec(why) ?? ['', '', why]
  const plain = values.replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(/\\"(?:[^"\\]|\\\\.)*?\\"|'[^']*'|[\w.[\]-]*[[.\d][\w.[\]-]*/g, '_'),
  )
  return `${at.replace(/\/\d+(?=\/|$)/g, '/_')}: ${plain.replace(/\d+/g, '_').slice(0, 160)}`
}

/** The number of the step that differs first, from 0. */
export const stepOf = (why: string): number => Number(/^step (\d+) /.exec(why)?.[1] ?? 1) - 1
