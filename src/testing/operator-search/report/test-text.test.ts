import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { TEST_LANGUAGES, testText } from './test-text.ts'

/** A name with what has to be quoted in every language. */
const TRICKY = 'text becomes "a\\b\'c`${d}\n"'
const tested = {
  findings: [{ steps: [{ name: TRICKY, apply: [] }], fault: undefined }],
  words: ['test-operator', '--never', 'object.kind == "Pod"'],
  command: ['./bin/manager'],
}
/** Programs that read a file of the language, and fail if it is not valid. */
const CHECKERS = { go: ['gofmt', '-e'], ts: [process.execPath, '--check'], py: ['python3', '-m', 'py_compile'] } as const

for (const language of TEST_LANGUAGES)
  test(`a test in ${language} is valid, and has the findings`, (t) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'test-text-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = path.join(folder, `operator_test.${language}`)
    const text = testText(language, tested)
    writeFileSync(file, text)
    const [program, ...words] = CHECKERS[language]
    const { error, status, stderr } = spawnSync(program, [...words, file], { encoding: 'utf8' })
    // Where a language is not here, only its findings are looked at.
    if (error === undefined) assert.equal(status, 0, stderr)
    const literal = /"(\{\\"findings\\".*?\})"\)/.exec(text)?.[1] ?? ''
    const { findings } = JSON.parse(JSON.parse(`"${literal}"`)) as typeof tested
    assert.equal(findings[0]?.steps[0]?.name, TRICKY)
  })
