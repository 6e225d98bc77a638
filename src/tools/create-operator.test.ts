import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { CreateOperatorError, createOperator, type OperatorProject } from './create-operator.ts'

suite('createOperator', () => {
  let folder = ''
  const at = (...names: string[]) => path.join(folder, ...names)
  const read = (...names: string[]) => readFileSync(at('colors', ...names), 'utf8')
  const make = (project: Partial<OperatorProject> = {}) =>
    createOperator({ folder: at('colors'), kind: 'Color', group: 'paint.example.org', bowsprit: '1.2.3', ...project }, at('template'))

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'create-operator-'))
    mkdirSync(at('template', 'src'), { recursive: true })
    writeFileSync(at('template', '_package.json'), '{ "name": "PROJECT_NAME", "bowsprit": "BOWSPRIT_VERSION" }')
    writeFileSync(at('template', '_gitignore'), 'node_modules/')
    writeFileSync(at('template', 'src', 'gadget.ts'), 'class Gadget { group = "example.com"; path = "gadgets" }')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test("writes the template's files under their own names, with the words of the kind", () => {
    make()
    assert.equal(read('package.json'), '{ "name": "colors", "bowsprit": "1.2.3" }')
    assert.equal(read('.gitignore'), 'node_modules/')
    assert.equal(read('src', 'color.ts'), 'class Color { group = "paint.example.org"; path = "colors" }')
  })

  test('names a tarball relative to the project', () => {
    writeFileSync(at('bowsprit.tgz'), '')
    make({ bowsprit: at('bowsprit.tgz') })
    assert.match(read('package.json'), /"file:\.\.\/bowsprit\.tgz"/)
  })

  for (const [wrong, message] of [
    [{ folder: 'Bad Name' }, /folder: "bad name" is not a project name/],
    [{ kind: 'gadget' }, /--kind: gadget is not a kind/],
    [{ kind: '../x' }, /is not a kind/],
    [{ group: 'nothing' }, /--group: nothing is not an API group/],
    [{ bowsprit: 'nowhere.tgz' }, /--bowsprit: there is no file nowhere\.tgz/],
    [{ folder: '/' }, /is not a project name/],
  ] as const)
    test(`${JSON.stringify(wrong)} is refused before anything is written`, () => {
      assert.throws(
        () => make(wrong),
        (error) => error instanceof CreateOperatorError && message.test(error.message),
      )
      assert.equal(existsSync(at('colors')), false)
    })

  test('a folder that is not empty is refused', () => {
    mkdirSync(at('colors', 'mine'), { recursive: true })
    assert.throws(() => make(), /colors is not empty/)
  })
})
