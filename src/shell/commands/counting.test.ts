import { type CommandRow, testCommands } from './command-table.double.ts'

const ROWS: readonly CommandRow[] = [
  ['wc -l', 'a\nb\n', '2\n'],
  ['wc -l', 'a\nb', '1\n'],
  ['wc -w', ' a  b\tc\nd\n', '4\n'],
  ['wc -c', 'héllo', '6\n'],
  ['wc -m', 'héllo', '5\n'],
  ['wc -l < one', '', '2\n'],
  ['wc -l one', '', '2 one\n'],
  ['wc -w one', '', '3 one\n'],
  ['wc -c', '', '0\n'],
  ['wc -w', '', '0\n'],
  ['wc -l nothere', '', '', 1],
  ['wc -m', '😀\n', '2\n'],
]
testCommands('wc', ROWS, { files: { one: 'a b\nc\n' } })
