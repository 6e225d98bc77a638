import { type CommandRow, testCommands } from './command-table.double.ts'

const CAT: readonly CommandRow[] = [
  ['cat', 'a\nb', 'a\nb'],
  ['cat one two', '', '1\n2\n'],
  ['cat one - two', 'mid\n', '1\nmid\n2\n'],
  ['cat one nothere two', '', '1\n2\n', 1],
  ['cat < one', '', '1\n'],
  ['cat /dev/null', '', ''],
  ['cat -u one', '', '1\n'],
  ['cat one one | cat', '', '1\n1\n'],
]
testCommands('cat', CAT, { files: { one: '1\n', two: '2\n' } })

const HEAD: readonly CommandRow[] = [
  ['head -n 2', '1\n2\n3\n', '1\n2\n'],
  ['head -1', '1\n2\n', '1\n'],
  ['head -n0', '1\n', ''],
  ['head -c 3', 'abcdef', 'abc'],
  ['head -c 0', 'abc', ''],
  ['head -n 5', '1\n2\n', '1\n2\n'],
  ['head --lines=1', '1\n2\n', '1\n'],
  ['head -n1 one two', '', '==> one <==\n1\n\n==> two <==\na\n'],
  ['head -qn1 one two', '', '1\na\n'],
  ['head', '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n', '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n'],
  ['head -c4 two', '', 'a\nb\n'],
  ['head -n 1 nothere one', '', '==> one <==\n1\n', 1],
]
testCommands('head', HEAD, { files: { one: '1\n2\n', two: 'a\nb\n' } })

const TAIL: readonly CommandRow[] = [
  ['tail -n 2', '1\n2\n3\n', '2\n3\n'],
  ['tail -1', '1\n2\n', '2\n'],
  ['tail -n +2', '1\n2\n3\n', '2\n3\n'],
  ['tail -n +1', '1\n2\n', '1\n2\n'],
  ['tail -n 0', '1\n', ''],
  ['tail -c 3', 'abcdef', 'def'],
  ['tail -c +3', 'abcdef', 'cdef'],
  ['tail -n 2', '1\n2\n3', '2\n3'],
  ['tail -n 5', '1\n', '1\n'],
  ['tail -n 1', '\n\n', '\n'],
  ['tail -n1 one two', '', '==> one <==\n2\n\n==> two <==\nb\n'],
  ['tail -qn1 one two', '', '2\nb\n'],
  ['tail', '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n', '2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n'],
  ['tail -n 3', '', ''],
  ['tail -n +9', '1\n', ''],
]
testCommands('tail', TAIL, { files: { one: '1\n2\n', two: 'a\nb\n' } })

const TEE: readonly CommandRow[] = [
  ['tee out | cat; cat out', 'x\ny\n', 'x\ny\nx\ny\n'],
  ['tee one two >/dev/null; cat one two', 'x\n', 'x\nx\n'],
  ['echo a > f; tee -a f >/dev/null; cat f', 'b\n', 'a\nb\n'],
  ['tee < /dev/null', '', ''],
]
testCommands('tee', TEE)
