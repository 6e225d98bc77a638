import { type CommandRow, testCommands } from './command-table.double.ts'

const SEQ: readonly CommandRow[] = [
  ['seq 3', '', '1\n2\n3\n'],
  ['seq 2 4', '', '2\n3\n4\n'],
  ['seq 1 2 6', '', '1\n3\n5\n'],
  ['seq 5 -2 1', '', '5\n3\n1\n'],
  ['seq 3 1', '', ''],
  ['seq -1 1', '', '-1\n0\n1\n'],
  ['seq 0', '', ''],
  ['seq 1 1', '', '1\n'],
]
testCommands('seq', SEQ)

const SMALL: readonly CommandRow[] = [
  ['expr 1 + 2', '', '3\n'],
  ['expr 7 - 10', '', '-3\n'],
  ["expr 3 '*' 4", '', '12\n'],
  ['expr 7 / 2', '', '3\n'],
  ['expr 7 % 3', '', '1\n'],
  ['expr 1 = 1', '', '1\n'],
  ['expr a = b', '', '0\n', 1],
  ["expr 2 '<' 10", '', '1\n'],
  ["expr 2 '>' 10", '', '0\n', 1],
  ["expr 2 '>=' 2", '', '1\n'],
  ["expr 3 '!=' 3", '', '0\n', 1],
  ['expr 5', '', '5\n'],
  ['expr 0', '', '0\n', 1],
  ['basename /a/b', '', 'b\n'],
  ['basename /a/b.txt .txt', '', 'b\n'],
  ['basename b', '', 'b\n'],
  ['basename /a/b/', '', 'b\n'],
  ['dirname /a/b', '', '/a\n'],
  ['dirname b', '', '.\n'],
  ['dirname /a', '', '/\n'],
  ['dirname /', '', '/\n'],
  ['dirname a/b/c', '', 'a/b\n'],
]
testCommands('expr, basename, dirname', SMALL)

const ENV: readonly CommandRow[] = [
  ['env -i A=1 B=2 env', '', 'A=1\nB=2\n'],
  ['A=1 printenv A', '', '1\n'],
  ['printenv NOSUCH', '', '', 1],
  ["env A=x sh -c 'echo $A'", '', 'x\n'],
  ["env -i sh -c 'echo [$A]'", '', '[]\n'],
  ["A=1 env -u A sh -c 'echo ${A-none}'", '', 'none\n'],
  ['env -i A=1 printenv A NOSUCH', '', '1\n', 1],
  ['env false', '', '', 1],
  ["env -i X='a b' sh -c 'echo \"$X\"'", '', 'a b\n'],
]
testCommands('env, printenv', ENV)

const DATE: readonly CommandRow[] = [
  ['date -u -d @0 +%Y-%m-%dT%H:%M:%SZ', '', '1970-01-01T00:00:00Z\n'],
  ['date -u -d @86399 +%T', '', '23:59:59\n'],
  ["date -u -d @1700000000 '+%F %T %s'", '', '2023-11-14 22:13:20 1700000000\n'],
  ['date -u -d 2024-02-29 +%j', '', '060\n'],
  ["date -u -d '2024-01-01T00:00:00Z' +%s", '', '1704067200\n'],
  ['date -u -d @0 +%a,%b,%e,%y,%Z', '', 'Thu,Jan, 1,70,UTC\n'],
  ["date -u -d @0 '+%d/%m %%'", '', '01/01 %\n'],
]
testCommands('date', DATE)

const STARTERS: readonly CommandRow[] = [
  ['timeout 5 echo in time', '', 'in time\n'],
  ['timeout 5 false', '', '', 1],
  ['timeout 0.05 sleep 9', '', '', 124],
  ['timeout -s KILL 5 echo x', '', 'x\n'],
  ['nice echo n', '', 'n\n'],
  ['nice -n 5 echo n', '', 'n\n'],
  ['nohup echo h 2>/dev/null', '', 'h\n'],
  ["echo 'a b c' | xargs", '', 'a b c\n'],
  ["echo 'a b c' | xargs -n1", '', 'a\nb\nc\n'],
  ["echo 'a b c' | xargs -n2 echo x", '', 'x a b\nx c\n'],
  ["printf 'a\\nb\\n' | xargs -I{} echo '<{}>'", '', '<a>\n<b>\n'],
  ["printf 'a b\\nc\\n' | xargs -I% echo %-%", '', 'a b-a b\nc-c\n'],
  ["printf 'a\\0b c\\0' | xargs -0 -n1 echo", '', 'a\nb c\n'],
  ['echo | xargs echo none', '', 'none\n'],
  ['echo | xargs -r echo none', '', ''],
  ['echo "\'a b\' c" | xargs -n1', '', 'a b\nc\n'],
  ["echo 'a\\ b' | xargs -n1", '', 'a b\n'],
  ['echo x | xargs false; echo $?', '', '123\n'],
  ["printf 'a,b' | xargs -d, -n1 echo", '', 'a\nb\n'],
  ['seq 5 | xargs -n 2', '', '1 2\n3 4\n5\n'],
  ['echo a | xargs -t echo 2>/dev/null', '', 'a\n'],
  ['sleep 0', '', ''],
  ['sleep 0.01 0.01', '', ''],
  ['true', '', ''],
  ['false', '', '', 1],
  ['yes x | head -2', '', 'x\nx\n'],
  ['yes a b | head -1', '', 'a b\n'],
]
testCommands('programs that start others', STARTERS)
