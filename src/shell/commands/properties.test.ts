/** What commands print for any text, beside a model in JavaScript of what they mean. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { quoteWord } from '../words/quote-word.ts'
import { runScript } from './command-table.double.ts'

const RUNS = { numRuns: 40 }
const LINES = fc.array(fc.stringMatching(/^[a-c1-3 ]{0,6}$/), { maxLength: 12 })
const TEXT = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', ' ', '\t', '\n', "'", '"', '\\', '$', '*') })
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

async function printed(script: string, stdin: string): Promise<string> {
  const { out, err } = await runScript(script, { stdin })
  assert.equal(err, '')
  return out
}

/** For any lines, a script prints what the model says. */
function forLines(title: string, script: string, model: (lines: readonly string[]) => readonly string[]): void {
  test(title, async () => {
    await fc.assert(
      fc.asyncProperty(LINES, async (lines) => assert.equal(await printed(script, textOf(lines)), textOf(model(lines)))),
      RUNS,
    )
  })
}

forLines('sort puts lines in the order of their characters', 'sort', (lines) => lines.toSorted())
forLines('sort -r is sort backwards', 'sort -r', (lines) => lines.toSorted().reverse())
forLines('sort -u is a set', 'sort -u', (lines) => [...new Set(lines)].sort())
forLines('uniq of sorted lines is a set', 'sort | uniq', (lines) => [...new Set(lines)].sort())
forLines('tac turns lines around', 'tac', (lines) => lines.toReversed())
forLines('tac twice is nothing', 'tac | tac', (lines) => lines)
forLines('rev turns each line around', 'rev', (lines) => lines.map((line) => [...line].reverse().join('')))
forLines('rev twice is nothing', 'rev | rev', (lines) => lines)
forLines('head prints the first lines', 'head -n 3', (lines) => lines.slice(0, 3))
forLines('tail prints the last lines', 'tail -n 3', (lines) => lines.slice(-3))
forLines('tail from a line on prints what head leaves', 'tail -n +4', (lines) => lines.slice(3))
forLines('grep -F prints lines that hold a text', 'grep -F a1 || true', (lines) => lines.filter((line) => line.includes('a1')))
forLines('grep -v prints the others', 'grep -vF a1 || true', (lines) => lines.filter((line) => !line.includes('a1')))
forLines('grep -n prints the number of a line', 'grep -n b || true', (lines) =>
  lines.flatMap((line, i) => (line.includes('b') ? `${i + 1}:${line}` : [])),
)
forLines('cut prints a field', "cut -d' ' -f2", (lines) => lines.map((line) => (line.includes(' ') ? (line.split(' ')[1] ?? '') : line)))
forLines('cut prints characters', 'cut -c2-3', (lines) => lines.map((line) => line.slice(1, 3)))
forLines('tr replaces each character of a set', 'tr a-c x-z', (lines) =>
  lines.map((line) => line.replace(/[a-c]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 23))),
)
forLines('tr -s makes one of several', "tr -s 'a-c '", (lines) => lines.map((line) => line.replace(/([a-c ])\1+/g, '$1')))
forLines('sed replaces all matches', "sed 's/[ab]*c/<&>/g'", (lines) => lines.map((line) => line.replace(/[ab]*c/g, '<$&>')))
forLines('sed deletes lines', '/a/d'.padStart(8, 'sed '), (lines) => lines.filter((line) => !line.includes('a')))
forLines('awk numbers the lines', 'awk \'{print NR ":" $0}\'', (lines) => lines.map((line, i) => `${i + 1}:${line}`))
forLines('awk counts the fields', "awk '{print NF}'", (lines) =>
  lines.map((line) => String(line.split(/ +/).filter((f) => f !== '').length)),
)
forLines('awk finds each line once by its text', "awk '!seen[$0]++'", (lines) => [...new Set(lines)])
forLines('awk prints lines in reverse', "awk '{a[NR]=$0} END{for(i=NR;i>0;i--) print a[i]}'", (lines) => lines.toReversed())
forLines('a loop reads each line as it is', 'while IFS= read -r l; do printf "%s\\n" "$l"; done', (lines) => lines)
forLines('xargs splits at blanks', 'xargs -n1 -r', (lines) => lines.flatMap((line) => line.split(' ')).filter((word) => word !== ''))

test('wc counts lines, words, bytes and characters', async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, async (text) => {
      const words = text.split(/\s+/).filter((word) => word !== '').length
      const counts = [text.split('\n').length - 1, words, Buffer.byteLength(text), [...text].length]
      const [l, w, c, m] = counts
      assert.equal(await printed('cat > f; wc -l < f; wc -w < f; wc -c < f; wc -m < f', text), `${l}\n${w}\n${c}\n${m}\n`)
    }),
    RUNS,
  )
})

test('base64 prints what Node encodes, in rows, and reads it back', async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, fc.integer({ min: 1, max: 90 }), async (text, width) => {
      const encoded = Buffer.from(text).toString('base64')
      const rows = encoded.match(new RegExp(`.{1,${width}}`, 'g')) ?? []
      assert.equal(await printed(`base64 -w ${width}`, text), textOf(rows))
      assert.equal(await printed(`base64 -w ${width} | base64 -d`, text), text)
    }),
    RUNS,
  )
})

test('sums of files are those of Node', async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, fc.constantFrom('md5', 'sha1', 'sha256', 'sha512'), async (text, kind) => {
      assert.equal(await printed(`${kind}sum`, text), `${createHash(kind).update(text).digest('hex')}  -\n`)
    }),
    RUNS,
  )
})

test('what gzip packs Node unpacks, and the other way round', async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, async (text) => {
      const packed = Buffer.from(await printed('gzip | base64 -w 0', text), 'base64')
      assert.equal(gunzipSync(packed).toString(), text)
      assert.equal(await printed('base64 -d | gunzip', gzipSync(text).toString('base64')), text)
    }),
    RUNS,
  )
})

test('a pipe passes on all bytes in their order, whatever its size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 6 }), async (count, length) => {
      const lines = Array.from({ length: count }, (_, i) => `line ${i}`)
      assert.equal(await printed(`cat ${'| cat '.repeat(length)}`, textOf(lines)), textOf(lines))
    }),
    { numRuns: 15 },
  )
})

test('a word in quotes is one argument, whatever is in it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(TEXT, { maxLength: 4 }), async (words) => {
      const script = `set -- ${words.map(quoteWord).join(' ')}; echo $#; for w; do printf '%s|' "$w"; done`
      assert.equal(await printed(script, ''), `${words.length}\n${words.map((word) => `${word}|`).join('')}`)
    }),
    RUNS,
  )
})

test('a variable holds any text but its last line ends, and prints it', async () => {
  await fc.assert(
    fc.asyncProperty(TEXT, async (text) => {
      assert.equal(await printed('x=$(cat); printf %s "$x"', text), text.replace(/\n+$/, ''))
    }),
    RUNS,
  )
})

const NUMBER = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const OPERATORS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<': (a, b) => BigInt(a < b),
  '>=': (a, b) => BigInt(a >= b),
  '==': (a, b) => BigInt(a === b),
}
test('arithmetic is that of integers of 64 bits', async () => {
  await fc.assert(
    fc.asyncProperty(NUMBER, NUMBER, fc.constantFrom(...Object.keys(OPERATORS)), async (a, b, operator) => {
      const wanted = BigInt.asIntN(64, OPERATORS[operator]?.(a, b) ?? 0n)
      assert.equal(await printed(`a=${a}; b=${b}; echo $((a ${operator} b))`, ''), `${wanted}\n`)
    }),
    RUNS,
  )
})
