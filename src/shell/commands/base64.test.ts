import { type CommandRow, testCommands } from './command-table.double.ts'

const ROWS: readonly CommandRow[] = [
  ['base64', '', ''],
  ['base64', 'a', 'YQ==\n'],
  ['base64', 'hello world\n', 'aGVsbG8gd29ybGQK\n'],
  ['base64 -w 0', 'hello', 'aGVsbG8='],
  ['base64 -w 4', 'hello world', 'aGVs\nbG8g\nd29y\nbGQ=\n'],
  ['base64 -d', 'aGVsbG8=', 'hello'],
  ['base64 -d', 'aGVs\nbG8=\n', 'hello'],
  [
    'base64 | base64 -d',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  ],
  [
    'base64',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\neHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eA==\n',
  ],
  ['base64 --wrap=8 f', '', 'c29tZSB0\nZXh0IGhl\ncmU=\n'],
  ['base64 -w 1', 'abcd', 'Y\nW\nJ\nj\nZ\nA\n=\n=\n'],
]
testCommands('base64', ROWS, { files: { f: 'some text here' } })
