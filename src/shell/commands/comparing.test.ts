import { type CommandRow, testCommands } from './command-table.double.ts'

const ROWS: readonly CommandRow[] = [
  ['cmp one one', '', ''],
  ['cmp one two', '', 'one two differ: byte 3, line 2\n', 1],
  ['cmp -s one two', '', '', 1],
  ['cmp one long; echo $?', '', '1\n'],
  ['diff one one; echo $?', '', '0\n'],
  ['diff -q one two', '', 'Files one and two differ\n', 1],
  ['diff -q one one', '', ''],
  ['diff -u one two | tail -n +3', '', '@@ -1,3 +1,3 @@\n 1\n-2\n+X\n 3\n'],
  ['diff one nothere', '', '', 2],
  ['diff -u long one | tail -n +3', '', '@@ -1,4 +1,3 @@\n 1\n 2\n 3\n-4\n'],
]
testCommands('cmp, diff', ROWS, { files: { one: '1\n2\n3\n', two: '1\nX\n3\n', long: '1\n2\n3\n4\n' } })
