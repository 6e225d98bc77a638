import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { loadImages } from './load-images.ts'

function folder(t: { after(fn: () => void): void }, files: Readonly<Record<string, string>>): string {
  const at = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-images-'))
  t.after(() => rmSync(at, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(at, name), text)
  return at
}

test('a module exports programs by images, YAML names a module for each', async (t) => {
  const at = folder(t, {
    'web.ts': 'export default (container: { readonly args: readonly string[] }) => container.args.length\n',
    'all.mts': "import web from './web.ts'\nexport default { 'example/web': web, 'example/other:*': { run: web } }\n",
    'images.yaml': 'images:\n  example/web:*: ./web.ts\n',
    'package.json': '{"type": "module"}',
  })
  assert.deepEqual(Object.keys(await loadImages(path.join(at, 'all.mts'))), ['example/web', 'example/other:*'])
  const { 'example/web:*': web } = await loadImages(path.join(at, 'images.yaml'))
  assert.equal(typeof web, 'function')
})

const wrong: readonly (readonly [string, Readonly<Record<string, string>>, string, RegExp])[] = [
  ['what is not there', {}, 'images.yaml', /--images: .*images.yaml cannot be read: ENOENT/],
  ['what is no map', { 'images.yaml': 'images: 3\n' }, 'images.yaml', /needs "images", a map/],
  ['what names no module', { 'images.yaml': 'images: {a: 3}\n' }, 'images.yaml', /"a" needs the path of a module/],
  ['a module that is not there', { 'images.yaml': 'images: {a: ./no.ts}\n' }, 'images.yaml', /no.ts \(of .*images.yaml\) cannot be loaded/],
  ['a module without a default', { 'a.mjs': 'export const b = 1\n' }, 'a.mjs', /a.mjs has no default export/],
]
for (const [rule, files, name, says] of wrong)
  test(`refused by name: ${rule}`, async (t) => {
    await assert.rejects(loadImages(path.join(folder(t, files), name)), says)
  })
