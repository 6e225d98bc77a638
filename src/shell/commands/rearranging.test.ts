import { type CommandRow, testCommands } from './command-table.double.ts'

const REVERSED: readonly CommandRow[] = [
  ['tac', '1\n2\n3\n', '3\n2\n1\n'],
  ['tac', '\n\na\n', 'a\n\n\n'],
  ['tac', '', ''],
  ['tac one two', '', '2\n1\nb\na\n'],
  ['rev', 'abc\nde\n', 'cba\ned\n'],
  ['rev', 'añb\n', 'bña\n'],
  ['tac | tac', '1\n2\n', '1\n2\n'],
]
testCommands('tac, rev', REVERSED, { files: { one: '1\n2\n', two: 'a\nb\n' } })

const NUMBERED: readonly CommandRow[] = [
  ['nl', 'a\nb\n', '     1\ta\n     2\tb\n'],
  ['nl -b a', 'a\n\nb\n', '     1\ta\n     2\t\n     3\tb\n'],
  ['fold -w 3', 'abcdefg\nab\n', 'abc\ndef\ng\nab\n'],
  ['fold -w 2', '\nabc\n', '\nab\nc\n'],
  ['fold -w 100', 'abc\n', 'abc\n'],
  [
    'fold',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nxxxxx\n',
  ],
]
testCommands('nl, fold', NUMBERED)
