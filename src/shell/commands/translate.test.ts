import { type CommandRow, testCommands } from './command-table.double.ts'

const ROWS: readonly CommandRow[] = [
  ['tr a-z A-Z', 'hello World\n', 'HELLO WORLD\n'],
  ['tr -d 0-9', 'a1b22c\n', 'abc\n'],
  ["tr -s ' '", 'a   b  c\n', 'a b c\n'],
  ['tr -s ab', 'aabbcc\n', 'abcc\n'],
  ["tr '[:upper:]' '[:lower:]'", 'ABC\n', 'abc\n'],
  ['tr abc x', 'aabbccdd\n', 'xxxxxxdd\n'],
  ['tr a-c xyz', 'cab\n', 'zxy\n'],
  ["tr -d '\\n'", 'a\nb\n', 'ab'],
  ["tr '\\n' ,", 'a\nb\n', 'a,b,'],
  ["tr ' ' '\\n'", 'a b c\n', 'a\nb\nc\n'],
  ["tr '\\t' ' '", 'a\tb\n', 'a b\n'],
  ['tr -cd 0-9', 'tel: 12-34\n', '1234'],
  ['tr -c 0-9 .', 'a1b2', '.1.2'],
  ["tr -d '\\r'", 'dos\r\n', 'dos\n'],
  ['tr ab ba', 'abba\n', 'baab\n'],
  ["tr -d '[:space:]'", 'a b\tc\n\n', 'abc'],
  ["tr -s '\\n'", 'a\n\n\nb\n', 'a\nb\n'],
  ["tr '[:digit:]' '#'", 'a12\n', 'a##\n'],
  ['tr -ds a b', 'aabbcc\n', 'bcc\n'],
  ['tr -- - _', 'a-b\n', 'a_b\n'],
  ['tr aa bc', 'a\n', 'c\n'],
]
testCommands('tr', ROWS)
