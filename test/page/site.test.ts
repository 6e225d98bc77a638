/** The documentation as `npm run site` makes it, in headless Chromium, narrow and wide: read, searched, and without a dead link. */
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fetched } from '../fetched.ts'
import { runProgram } from '../run-program.ts'
import { axeFindings, openBrowser, screenshot, skipWithoutBrowser, type Tab, until } from './browser.ts'

const root = path.join(import.meta.dirname, '..', '..')
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}
/** One of each kind: the door, the index, a guide, tables wider than a telephone, generated reference. */
const READ = ['', 'docs/', 'docs/getting-started.html', 'docs/comparison.html', 'docs/api/testing.html']
/** Vite's preloading names fonts that a page without that script does not use. */
const isHarmless = (fault: string) => fault.includes('was preloaded using link preload')

test('the site', { timeout: 600_000, skip: skipWithoutBrowser() || fetched('vitepress') }, async (t) => {
  const pages = mkdtempSync(path.join(os.tmpdir(), 'site-'))
  t.after(() => rmSync(pages, { recursive: true, force: true }))
  const made = await runProgram(process.execPath, [path.join(root, 'scripts', 'site.ts'), pages], { cwd: root, timeoutMs: 480_000 })
  assert.equal(made.code, 0, `${made.out}${made.err}`)
  await using server = await serve(pages)

  await t.test('every link and picture leads to a file of the site', () => {
    const dead = globSync('**/*.html', { cwd: pages }).flatMap((page) => {
      const links = [...readFileSync(path.join(pages, page), 'utf8').matchAll(/\b(?:href|src)="([^"#]*)[^"]*"/g)].map(
        ([, link = '']) => link,
      )
      return links
        .filter((link) => link !== '' && !/^(https?:|data:|mailto:)/.test(link) && fileOf(pages, link, page) === undefined)
        .map((link) => `${page}: ${link}`)
    })
    assert.deepEqual([...new Set(dead)], [])
  })

  await using browser = await openBrowser()
  for (const width of [400, 1280])
    for (const page of READ)
      await t.test(`${page || 'the first page'} at ${width} pixels fits, has no fault, and none that axe finds`, async () => {
        await using tab = await browser.tab({ width })
        await tab.page.goto(`${server.url}/${page}`)
        await until(tab.page, `document.querySelector('h1')`)
        assert.equal(await tab.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
        await screenshot(tab.page, `site-${width}-${page.replaceAll('/', '-') || 'first'}`)
        assert.deepEqual(await axeFindings(tab.page), [])
        assert.deepEqual(
          tab.faults.filter((fault) => !isHarmless(fault)),
          [],
        )
      })

  await t.test('the search finds a page by a word of its text', async () => {
    await using tab = await browser.tab()
    await tab.page.goto(`${server.url}/`)
    await until(tab.page, `document.querySelector('.DocSearch-Button')`)
    await search(tab, 'extended resources dongle')
    await until(tab.page, `[...document.querySelectorAll('.VPLocalSearchBox a')].some((a) => a.href.includes('extended-resources'))`)
  })
})

async function search({ page }: Tab, words: string): Promise<void> {
  await until(page, `(document.querySelector('.DocSearch-Button')?.click(), document.querySelector('.VPLocalSearchBox input'))`)
  await page.keyboard.type(words)
}

/** The file of a link of a page; undefined: there is none. */
function fileOf(folder: string, link: string, page: string): string | undefined {
  const at = path.join(folder, link.startsWith('/') ? link : path.join(path.dirname(page), link))
  return [at, path.join(at, 'index.html')].find((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
}

async function serve(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(({ url = '/' }, response) => {
    const file = fileOf(folder, decodeURIComponent(url.replace(/[?#].*/, '')), '')
    if (file === undefined) return response.writeHead(404).end()
    return response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
