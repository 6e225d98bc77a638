import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { createContainer } from '../processes/process.double.ts'
import { COMMANDS } from './commands.ts'

const container = (files: Record<string, string> = {}) =>
  createContainer({ clock: systemClock, programs: Object.fromEntries(COMMANDS), files })

async function run(script: string, files?: Record<string, string>) {
  const { done, out, err } = container(files).run(['sh', '-c', script])
  const status = await done
  return { status, out: out(), err: err() }
}

const TEXT = String.raw`printf 'b 2\na 10\nc 1\nb 2\n' | `

/** What the machine's own programs print too. */
const SAME: readonly (readonly [script: string, out: string, status?: number])[] = [
  [`${TEXT}sort`, 'a 10\nb 2\nb 2\nc 1\n'],
  [`${TEXT}sort -u | wc -l`, '3\n'],
  [`${TEXT}sort -k2 -n -r | head -1`, 'a 10\n'],
  [`${TEXT}sort | uniq -d`, 'b 2\n'],
  [`${TEXT}head -n 2; echo; ${TEXT}tail -n 1; ${TEXT}tail -n +4`, 'b 2\na 10\n\nb 2\nb 2\n'],
  [`${TEXT}cut -d' ' -f2 | tr '\\n' ,`, '2,10,1,2,'],
  [`${TEXT}grep -c b; ${TEXT}grep -v b; ${TEXT}grep -n '^a'; ${TEXT}grep -E 'a|c' | wc -l`, '2\na 10\nc 1\n2:a 10\n2\n'],
  [`${TEXT}grep -q zzz; echo $?; echo 'a+b' | grep 'a+b'; echo aab | grep -o 'a\\+'`, '1\na+b\naa\n'],
  [`${TEXT}sed 's/b/B/;2d;$s/2/two/'`, 'B 2\nc 1\nB two\n'],
  [
    `echo path/to/x | sed 's|\\(.*\\)/|[\\1]-|'; echo aaa | sed -E 's/a{2}/<&>/g'; ${TEXT}sed -n '/a/,/c/p'`,
    '[path/to]-x\n<aa>a\na 10\nc 1\n',
  ],
  [
    "printf 'ab\\nb\\n' > sf; sed -Ei 's/a+/x/' sf; cat sf; sed -i.bak s/x/y/ sf; cat sf sf.bak; echo s/b/c/ > sp; sed -nf sp sf; sed -ne '1p' sf; sed --expression=s/y/z/ -e s/z/w/ -- sf; rm sf sf.bak sp",
    'xb\nb\nyb\nb\nxb\nb\nyb\nwb\nb\n',
  ],
  [
    'echo one > ca; echo two > cb; cp -n ca cb; cat cb; mv -n cb ca; ls ca cb; cp --update=none cb ca; cp --no-clobber ca cc; cat cc; mv -f cb ca; cat ca; cp -- ca --update=all; cat -- --update=all; rm ca cc ./--update=all',
    'two\nca\ncb\none\ntwo\ntwo\n',
  ],
  ['echo hello | tr a-z A-Z; echo aabbc | tr -s ab; echo a1b2 | tr -d 0-9; echo hi | tr "[:lower:]" "[:upper:]"', 'HELLO\nabc\nab\nHI\n'],
  ['seq 3; seq 2 4 | tr "\\n" " "; seq 5 -2 1 | wc -l', '1\n2\n3\n2 3 4 3\n'],
  ['basename /a/b.txt .txt; dirname /a/b; echo -n x | base64; echo eA== | base64 -d; echo', 'b\n/a\neA==\nx\n'],
  ['printf abc | sha256sum | cut -c1-8; printf abc | md5sum | cut -c1-6', 'ba7816bf\n900150\n'],
  ['echo "a b c" | xargs -n1 echo got; echo | xargs echo none', 'got a\ngot b\ngot c\nnone\n'],
  ['env -i A=1 printenv A; A=2 env | grep -c ^A=2; printenv NOSUCH', '1\n1\n', 1],
  ['expr 3 + 4; expr 10 / 3; expr 2 = 3', '7\n3\n0\n', 1],
  ['date -u -d @0 +%Y 2>/dev/null >/dev/null; printf x | wc -c; timeout 5 echo in time', '1\nin time\n'],
  ['timeout 0.1 sleep 20; echo $?', '124\n'],
  ['echo a > ia; echo y | cp -ri ia ib 2>/dev/null; cat ib; mv -i ib ic; cat ic; rm ia ic', 'a\na\n'],
  ['timeout -s 15 5 printf "%s %s\n" -s 9; timeout -k 2 --signal=TERM 5 echo two -k 3', '-s 9\ntwo -k 3\n'],
  ['/bin/echo -n no end; /bin/echo -e "\\tx"', 'no end\tx\n'],
  [
    "mkdir -p d/e && touch d/a.txt d/e/b.txt d/e/c.md; find d -name '*.txt' | sort; find d -maxdepth 1 -type f; find d -type f ! -name '*.txt' -exec echo got {} ';'; find d -name a.txt -o -name c.md | sort; find d -name '*.txt' -delete; find d -type f; rm -r d",
    'd/a.txt\nd/e/b.txt\nd/a.txt\ngot d/e/c.md\nd/a.txt\nd/e/c.md\nd/e/c.md\n',
  ],
  [
    "printf 'a\\nb c\\n' | xargs -I{} echo '<{}>'; printf 'a b' | xargs -n 1 echo; printf '' | xargs -r echo no; echo '\"a b\" c' | xargs printf '%s.'",
    '<a>\n<b c>\na\nb\na b.c.',
  ],
  ["printf '1K\\n20\\n1M\\n' | sort -h | tr '\\n' ' '; printf 'v1.10\\nv1.9\\n' | sort -V | head -1", '20 1K 1M v1.9\n'],
  [`${TEXT}awk '{print $2, $1}'; ${TEXT}awk -F' ' 'NR==2{print NF; exit 3}'`, '2 b\n10 a\n1 c\n2 b\n2\n', 3],
  [`${TEXT}awk '{s += $2; n[$1]++} END {print s, NR; print n["b"], ("z" in n)}'`, '15 4\n2 0\n'],
  [`printf 'a:b:c\n' | awk -F: -v OFS=- '{$2 = "x"; print; print $NF}'; echo 'x=1,y' | awk -F'[=,]' '{print $3}'`, 'a-x-c\nc\ny\n'],
  [
    `awk 'BEGIN {for (i = 1; i <= 3; i++) printf "%d%s", i, i < 3 ? "," : "\\n"; while (j < 2) j++; print j, 7 % 4, 2 ^ 3, -3 + 1, 1/4}'`,
    '1,2,3\n2 3 8 -2 0.25\n',
  ],
  [
    `awk 'BEGIN {print length("abc"), substr("hello", 2, 3), index("abc", "c"), toupper("x") tolower("Y"), int(3.9), split("a b c", p), p[3]}'`,
    '3 ell 3 Xy 3 3 c\n',
  ],
  [
    `echo 'foo bar foo' | awk '{n = gsub(/foo/, "<&>"); print n, $0; sub("bar", "b"); print}'; echo ab | awk '{print match($0, /b/), RSTART, RLENGTH}'`,
    '2 <foo> bar <foo>\n<foo> b <foo>\n2 2 1\n',
  ],
  [
    `${TEXT}awk '/a/,/c/'; ${TEXT}awk '$2 > 1 && $1 ~ /^[ab]$/ {print NR ": " $0}' | head -2; ${TEXT}awk '!seen[$0]++' | wc -l`,
    'a 10\nc 1\n1: b 2\n2: a 10\n3\n',
  ],
  [
    `awk 'function add(a, b,  c) {c = a + b; return c} BEGIN {print add(2, 3); if (!(1 > 2)) {print "no"} else print "yes"; do {k++} while (k < 3); print k}'`,
    '5\nno\n3\n',
  ],
  [
    `echo "5 apples" | awk '{if ($1 > 3) print "many"; else print "few"; delete x; x["a"] = 1; for (k in x) print k, x[k]}'; awk 'BEGIN{print 1e3 "|" 0.1+0.2 "|" "3x"+1}'`,
    'many\na 1\n1000|0.3|4\n',
  ],
  [`awk 'function fill(a) {a["x"] = 1} BEGIN {fill(cells); print length(cells), cells["x"]}'`, '1 1\n'],
  [`printf 'a,,b\n' | awk -F, '{print ($2 == 0), (unset == 0), (unset == "")}'`, '0 1 1\n'],
  [`awk 'BEGIN {x = 1 # ${'long '.repeat(2000)}\n print x}'`, '1\n'],
  [
    `printf 'a\nb\nc\nd\n' | grep -A1 b; printf 'a\nb\nc\nd\n' | grep -B1 -n c; printf 'x1x2' | grep -oE 'x[0-9]'; printf 'a\nb\n' | grep -e a --count; echo aXb | grep --ignore-case x`,
    'b\nc\n2-b\n3:c\nx1\nx2\n1\naXb\n',
  ],
  [
    `printf 'a\nb\n' | tac; echo abc | rev; printf 'a\nb\n' | nl -b a | tr -d ' '; echo abcdef | fold -w 4`,
    'b\na\ncba\n1\ta\n2\tb\nabcd\nef\n',
  ],
  [
    `echo hello | gzip -c | gunzip -c; printf 'a\nb\n' | tee /dev/null | tail -c 2; printf abc | od -c | head -1; printf abc | xxd`,
    'hello\nb\n0000000   a   b   c\n00000000: 6162 63                                  abc\n',
  ],
  [
    `date -u -d @86400 +%F; date -u -d '2026-01-02 03:04:05' +%s; seq 3 | diff - /dev/null | grep -c '^[<-]' >/dev/null; echo ok`,
    '1970-01-02\n1767323045\nok\n',
  ],
  [
    `printf 'x\n' | cmp -s - /dev/null; echo $?; head -c 5 /dev/zero | wc -c; test -t 0 </dev/null || echo none; [ -t 1 ] </dev/null || true`,
    '1\n5\nnone\n',
  ],
]

for (const [script, out, status = 0] of SAME)
  test(`commands: ${script}`, async () => {
    const ours = await run(script)
    assert.deepEqual({ out: ours.out.replace(/^ +/gm, ''), status: ours.status }, { out, status }, ours.err)
    const own = spawnSync('bash', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH } })
    assert.deepEqual({ out: own.stdout.replace(/^ +/gm, ''), status: own.status }, { out, status }, "the machine's own")
  })

test('files are made, moved, copied, listed and removed as the machine does', async () => {
  const script = [
    'mkdir -p a/b && echo one >a/b/one && cp -r a c && mv a/b/one two && ls c/b && cat two && ls a/b | wc -l',
    'rm -r c; ls c 2>/dev/null || echo gone; touch t; [ -s t ] || echo empty; rm -f nothing; rmdir a/b && ls a | wc -l',
    'chmod 700 t; stat -c %a t; mkdir a 2>/dev/null || echo there; dd if=/dev/zero of=z bs=1k count=3 2>/dev/null; wc -c <z; find . -name "t*" | sort',
  ].join('\n')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-sh-'))
  try {
    const own = spawnSync('bash', ['-c', `cd ${folder}\n${script}`], { encoding: 'utf8' })
    const ours = await run(`mkdir /w; cd /w\n${script}`)
    const expected = 'one\none\n0\ngone\nempty\n0\n700\nthere\n3072\n./t\n./two\n'
    assert.deepEqual([ours.out, own.stdout], [expected, expected])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('what tar packs the machine unpacks, and the other way round', async () => {
  const { run: start } = container({ '/data/a.txt': 'A\n', '/data/deep/b': 'B\n' })
  const packed = start(['sh', '-c', 'tar cf - data | base64 -w0'])
  assert.equal(await packed.done, 0)
  const listed = spawnSync('tar', ['tf', '-'], { input: Buffer.from(packed.out(), 'base64'), encoding: 'utf8' })
  assert.deepEqual(listed.stdout.split('\n').sort(), ['', 'data/', 'data/a.txt', 'data/deep/', 'data/deep/b'])
  const back = start(['sh', '-c', 'mkdir /to; base64 -d | tar xmf - -C /to; cat /to/data/a.txt /to/data/deep/b'], { stdin: packed.out() })
  assert.deepEqual([await back.done, back.out()], [0, 'A\nB\n'])
})

test('a compressed archive is packed and unpacked', async () => {
  const { run: start } = container({ '/data/a.txt': 'A\n' })
  const packed = start([
    'sh',
    '-c',
    'tar czf /a.tgz data && base64 -w0 /a.tgz && mkdir /to && tar xzf /a.tgz -C /to && cat /to/data/a.txt >&2',
  ])
  assert.deepEqual([await packed.done, packed.err()], [0, 'A\n'])
  const listed = spawnSync('tar', ['tzf', '-'], { input: Buffer.from(packed.out(), 'base64'), encoding: 'utf8' })
  assert.deepEqual(listed.stdout.split('\n').sort(), ['', 'data/', 'data/a.txt'])
})

test('an archive that names places outside stays inside', async () => {
  const evil = spawnSync('tar', ['-cPf', '-', '--transform', 's,.*,../../evil,', 'package.json'], { encoding: 'buffer' })
  const { run: start } = container()
  const { done, out } = start(['sh', '-c', 'mkdir -p /a/b; base64 -d | tar xf - -C /a/b; find / -name evil'], {
    stdin: evil.stdout.toString('base64'),
  })
  await done
  assert.equal(out(), '/a/b/evil\n')
})

test('an expression that takes others an age takes no longer than its text', async () => {
  const { status } = await run(
    `printf '%s\\n' "$(printf 'a%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)b" | grep -E '^(a+)+$'`,
  )
  assert.equal(status, 1)
})

test("a missing file or command has a shell's message", async () => {
  assert.deepEqual(await run('cat /nope; ls /nope; cp; frobnicate'), {
    status: 127,
    out: '',
    err: "cat: can't open '/nope': No such file or directory\nls: /nope: No such file or directory\ncp: missing file operand\nsh: frobnicate: not found\n",
  })
})
