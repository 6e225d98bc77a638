import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { PLUGIN_ORDER } from './plugin-order.ts'

const ROWS = readFileSync(path.join(import.meta.dirname, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| [A-Z]\w+ \|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

test('README.md lists every plugin in its order, and whether it is on', () => {
  assert.deepEqual(
    ROWS.map(([, name, , state]) => `${name} ${state}`),
    PLUGIN_ORDER.map(({ name, isOff }) => `${name} ${isOff ? 'off' : 'on'}`),
  )
})

for (const [, name = '', file = ''] of ROWS.filter(([, , file]) => file !== '–'))
  test(`the file of ${name} is there, and names the plugin`, () => {
    const at = path.join(import.meta.dirname, `${file.replaceAll('`', '')}.ts`)
    assert.ok(existsSync(at), at)
    assert.ok(readFileSync(at, 'utf8').includes(`'${name}'`), `${at} does not say '${name}'`)
  })
