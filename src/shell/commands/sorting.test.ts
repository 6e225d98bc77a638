import { type CommandRow, testCommands } from './command-table.double.ts'

const SORT: readonly CommandRow[] = [
  ['sort', 'b 2\na 10\nc 1\nb 2\n', 'a 10\nb 2\nb 2\nc 1\n'],
  ['sort -r', 'b 2\na 10\nc 1\nb 2\n', 'c 1\nb 2\nb 2\na 10\n'],
  ['sort -u', 'b 2\na 10\nc 1\nb 2\n', 'a 10\nb 2\nc 1\n'],
  ['sort -k2 -n', 'b 2\na 10\nc 1\nb 2\n', 'c 1\nb 2\nb 2\na 10\n'],
  ['sort -k2,2n', 'b 2\na 10\nc 1\nb 2\n', 'c 1\nb 2\nb 2\na 10\n'],
  ['sort -k2', 'b 2\na 10\nc 1\nb 2\n', 'c 1\na 10\nb 2\nb 2\n'],
  ['sort -n', '10\n9\n-1\n2.5\nx\n', '-1\nx\n2.5\n9\n10\n'],
  ['sort -nr', '10\n9\n-1\n2.5\n', '10\n9\n2.5\n-1\n'],
  ['sort -t, -k2 -n', 'a,10\nb,9\nc,100\n', 'b,9\na,10\nc,100\n'],
  ['sort -h', '1G\n2K\n3M\n512\n', '512\n2K\n3M\n1G\n'],
  ['sort -V', 'v1.10\nv1.9\nv1.2\n', 'v1.2\nv1.9\nv1.10\n'],
  ['sort', 'b\nA\na\nB\n', 'A\nB\na\nb\n'],
  ['sort', '\n\nb\na', '\n\na\nb\n'],
  ['sort one two', '', 'a\nb\nc\nd\n'],
  ['sort -u -n', '1\n1\n2\n', '1\n2\n'],
  ['sort -k1,1 -k2,2nr', 'a 1\nb 2\na 3\nb 10\n', 'a 3\na 1\nb 10\nb 2\n'],
  ['sort -t: -k2,2', 'x:b:1\ny:a:2\n', 'y:a:2\nx:b:1\n'],
  ['sort -f', 'b\nA\na\nB\n', 'A\na\nB\nb\n'],
  ['sort -k2nr', 'a 1\nb 20\nc 3\n', 'b 20\nc 3\na 1\n'],
  ['sort -t. -k1,1n -k2,2n', '10.0\n9.10\n9.9\n', '9.9\n9.10\n10.0\n'],
  ['sort -s -k1,1', 'b 2\na 9\nb 1\na 1\n', 'a 9\na 1\nb 2\nb 1\n'],
  ['sort -un', '3\n03\n2\n', '2\n3\n'],
  ['sort -rk2', 'a 1\nb 2\n', 'b 2\na 1\n'],
]
testCommands('sort', SORT, { files: { one: 'd\nb\n', two: 'c\na\n' } })

const UNIQ: readonly CommandRow[] = [
  ['uniq', 'a\na\nb\na\n', 'a\nb\na\n'],
  ['uniq -c', 'a\na\nb\n', '      2 a\n      1 b\n'],
  ['uniq -d', 'a\na\nb\nc\nc\n', 'a\nc\n'],
  ['uniq -u', 'a\na\nb\nc\nc\n', 'b\n'],
  ['uniq', '', ''],
  ['uniq', '\n\nx\n', '\nx\n'],
  ['sort | uniq -c | sort -rn | head -1', 'b\na\nb\n', '      2 b\n'],
  ['uniq data', '', '1\n2\n'],
]
testCommands('uniq', UNIQ, { files: { data: '1\n1\n2\n' } })
