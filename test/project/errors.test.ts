import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { errorClasses, errorClassesIn, errorsPage, publishedNames } from '../../scripts/error-classes.ts'

const root = path.join(import.meta.dirname, '..', '..')

test('docs/errors.md lists every class of errors with its codes: npm run docs writes it', () => {
  const page = readFileSync(path.join(root, 'docs', 'errors.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name, codes]) => `${name}: ${codes}`)
  const wanted = errorsPage(errorClasses(root), publishedNames(root))
  assert.deepEqual(
    listed,
    [...wanted.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, name, codes]) => `${name}: ${codes}`),
  )
  assert.ok(listed.length > 50)
})

const SOURCES: readonly [name: string, text: string, codes: readonly string[], meaning: string][] = [
  ['one code', "/** Why. More. */\nexport class AError extends Error {\n  readonly code = 'a'\n}\n", ['a'], 'Why.'],
  ['several codes', "/** Why */\nexport class AError extends Error {\n  readonly code: 'a' | 'b'\n}\n", ['a', 'b'], 'Why'],
  [
    'codes of a type',
    "type Code =\n  /** First. */\n  | 'a'\n  | 'b'\n\n/**\n * Two\n * lines.\n */\nexport class AError extends Error {\n  readonly code: Code\n}\n",
    ['a', 'b'],
    'Two lines.',
  ],
  ['no code', 'export class AError extends TypeError {}\n}\n', [], ''],
]
for (const [name, text, codes, meaning] of SOURCES)
  test(`a class with ${name}`, () => assert.deepEqual(errorClassesIn('a.ts', text), [{ name: 'AError', file: 'a.ts', codes, meaning }]))
