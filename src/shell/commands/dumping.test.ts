import { type CommandRow, testCommands } from './command-table.double.ts'

const ROWS: readonly CommandRow[] = [
  ['od -c', 'hi\n\u0000\t', '0000000   h   i  \\n  \\0  \\t\n0000005\n'],
  ["od -An -t x1 | tr -d ' '", 'hi\n', '68690a\n'],
  ['od -t x1', '0123456789abcdefXY', '0000000 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66\n0000020 58 59\n0000022\n'],
  [
    'hexdump -C',
    '0123456789abcdefXY',
    '00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\n00000010  58 59                                             |XY|\n00000012\n',
  ],
  [
    'xxd',
    '0123456789abcdefXY',
    '00000000: 3031 3233 3435 3637 3839 6162 6364 6566  0123456789abcdef\n00000010: 5859                                     XY\n',
  ],
  ['hexdump -C f', '', '00000000  61 5c 62 22                                       |a\\b"|\n00000004\n'],
  ['od -c f', '', '0000000   a   \\   b   "\n0000004\n'],
  ['xxd -u', 'abc', '00000000: 6162 63                                  abc\n'],
]
testCommands('od, hexdump, xxd', ROWS, { files: { f: 'a\\b"' } })

const STRINGS: readonly CommandRow[] = [
  ['strings', 'ab\u0000hello\u0001wide world\u0002abc', 'hello\nwide world\n'],
  ['strings', 'tab\there\n', 'tab\there\n'],
  ['strings', '', ''],
]
testCommands('strings', STRINGS)
