import { type CommandRow, testCommands } from './command-table.double.ts'

const ROWS: readonly CommandRow[] = [
  ['cut -d, -f2', 'name,age,city\nann,31,Oslo\nbob,9,Rome\n\nnone\n', 'age\n31\n9\n\nnone\n'],
  ['cut -d, -f1,3', 'name,age,city\nann,31,Oslo\nbob,9,Rome\n\nnone\n', 'name,city\nann,Oslo\nbob,Rome\n\nnone\n'],
  ['cut -d, -f2-', 'name,age,city\nann,31,Oslo\nbob,9,Rome\n\nnone\n', 'age,city\n31,Oslo\n9,Rome\n\nnone\n'],
  ['cut -d, -f-2', 'name,age,city\nann,31,Oslo\nbob,9,Rome\n\nnone\n', 'name,age\nann,31\nbob,9\n\nnone\n'],
  ['cut -s -d, -f1', 'name,age,city\nann,31,Oslo\nbob,9,Rome\n\nnone\n', 'name\nann\nbob\n'],
  ['cut -d, -f3,1', 'name,age,city\nann,31,Oslo\nbob,9,Rome\n\nnone\n', 'name,city\nann,Oslo\nbob,Rome\n\nnone\n'],
  ['cut -f2', 'a\tb\tc\n', 'b\n'],
  ['cut -f 2-3', 'a\tb\tc\td\n', 'b\tc\n'],
  ['cut -c1-3', 'abcdef\nab\n', 'abc\nab\n'],
  ['cut -c2-', 'abcdef\n', 'bcdef\n'],
  ['cut -c -2', 'abcdef\n', 'ab\n'],
  ['cut -c1,3,5-', 'abcdefg\n', 'acefg\n'],
  ['cut -b2', 'xyz\n', 'y\n'],
  ['cut --delimiter=: --fields=1', 'root:x:0\n', 'root\n'],
  ["cut -d' ' -f2", 'one  two\n', '\n'],
  ['cut -d, -f9', 'name,age,city\nann,31,Oslo\nbob,9,Rome\n\nnone\n', '\n\n\n\nnone\n'],
  ['cut -d: -f1 passwd', '', 'root\nnobody\n'],
  ['cut -d: -f1,3 passwd passwd', '', 'root:0\nnobody:65534\nroot:0\nnobody:65534\n'],
]
testCommands('cut', ROWS, { files: { passwd: 'root:x:0\nnobody:x:65534\n' } })
