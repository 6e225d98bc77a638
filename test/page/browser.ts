/** Headless Chromium for tests of the page: what `playwright-core` and `@sparticuz/chromium` from npm give, as far as tests use it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildPage } from '../../scripts/build-page.mjs'
import { fetchedPackage } from '../../scripts/fetched-package.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { fetched } from '../fetched.ts'

export interface BrowserPage {
  goto(url: string): Promise<unknown>
  /** Runs an expression in the page. */
  evaluate<T>(expression: string): Promise<T>
  screenshot(options: { path: string }): Promise<unknown>
  setViewportSize(size: { width: number; height: number }): Promise<void>
  emulateMedia(media: { colorScheme: 'light' | 'dark' }): Promise<void>
  content(): Promise<string>
  url(): string
  setInputFiles(selector: string, file: string): Promise<void>
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  context(): { newCDPSession(page: BrowserPage): Promise<{ send(method: string, parameters: object): Promise<unknown> }> }
  on(event: string, listener: (event: never) => void): void
}

interface BrowserContext {
  newPage(): Promise<BrowserPage>
  addInitScript(script: string): Promise<void>
  close(): Promise<void>
}

interface Browser {
  newContext(options: object): Promise<BrowserContext>
  close(): Promise<void>
}

interface Playwright {
  readonly chromium: { launch(options: object): Promise<Browser> }
}

interface Sparticuz {
  readonly default: { executablePath(): Promise<string>; readonly args: readonly string[] }
}

/** A tab, and what went wrong in it: errors of the console, exceptions, reports of the content security policy. */
export interface Tab extends AsyncDisposable {
  readonly page: BrowserPage
  readonly faults: readonly string[]
}

interface TabOptions {
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly javaScriptEnabled?: boolean
}

/** A browser, until it is disposed of. */
export interface TestBrowser extends AsyncDisposable {
  tab(options?: TabOptions): Promise<Tab>
}

/** Builds the page's files from the sources; in a run of all tests once. */
export async function builtPage(): Promise<void> {
  const built = process.env.BOWSPRIT_TEST_RUN && path.join(process.env.BOWSPRIT_TEST_RUN, 'page-is-built')
  if (built && existsSync(built)) return
  await buildPage()
  if (built) writeFileSync(built, '')
}

/** False, or why tests of the page cannot run here. */
export const skipWithoutBrowser = () =>
  process.platform === 'linux' && process.arch === 'x64' ? fetched('playwright', 'chromium', 'axe') : 'Chromium of npm is for linux x64'

const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (e) => console.error('CSP: ' + e.violatedDirective + ' ' + e.sample))`

export async function openBrowser(): Promise<TestBrowser> {
  const playwright = (await import(pathToFileURL(path.join(fetchedPackage('playwright'), 'index.mjs')).href)) as Playwright
  const sparticuz = (await import(pathToFileURL(path.join(fetchedPackage('chromium'), 'build', 'index.js')).href)) as Sparticuz
  const executablePath = await sparticuz.default.executablePath()
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--headless=shell', '--disable-features=HttpsUpgrades']
  const browser = await playwright.chromium.launch({ executablePath, headless: true, args })
  return {
    async tab({ width = 1280, colorScheme = 'light', javaScriptEnabled = true } = {}) {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, javaScriptEnabled })
      await context.addInitScript(REPORT_VIOLATIONS)
      const page = await context.newPage()
      const faults: string[] = []
      page.on('console', (message: { type(): string; text(): string }) => {
        if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
      })
      page.on('pageerror', (error: Error) => faults.push(`exception: ${error.message}`))
      return { page, faults, [Symbol.asyncDispose]: () => context.close() }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

/** Waits until an expression is true in the page. (`waitForFunction` evaluates texts in the page, which its policy forbids.) */
export const until = (page: BrowserPage, expression: string): Promise<unknown> =>
  waitFor(() => page.evaluate<boolean>(`Boolean(${expression})`), { what: expression })

/** Waits until the page shows the text. */
export const shows = ({ page }: Tab, text: string): Promise<unknown> =>
  until(page, `document.body.innerText.includes(${JSON.stringify(text)})`)

/** Clicks the first button or link with the text, when it is there. */
export async function click({ page }: Tab, text: string): Promise<void> {
  const found = `[...document.querySelectorAll('button, a')].find((e) => e.innerText.includes(${JSON.stringify(text)}) && !e.disabled)`
  await until(page, found)
  await page.evaluate(`${found}.click()`)
}

/** The text of the page's editor. */
export const CONTENT = "document.querySelector('.code-area')?.shadowRoot?.querySelector('.cm-content')"

/** Replaces a text in the editor, by its own search. */
export async function replace({ page }: Tab, text: string, by: string): Promise<void> {
  await page.evaluate(`${CONTENT}.focus()`)
  for (const key of ['Control+Home', 'Control+f']) await page.keyboard.press(key)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
  for (const key of ['Enter', 'Escape']) await page.keyboard.press(key)
  await page.keyboard.type(by)
}

/** What axe-core finds in the page: each rule that is broken, and where. */
export async function axeFindings(page: BrowserPage): Promise<readonly string[]> {
  const source = readFileSync(path.join(fetchedPackage('axe'), 'axe.min.js'), 'utf8')
  // By evaluation: the page's own policy lets no script in.
  await page.evaluate(`(() => { const module = undefined; ${source}\n; })()`)
  return page.evaluate<string[]>(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + ' ' + (n.failureSummary ?? '')).join(' | ')))`)
}

/** A picture of the page, in the folder that BOWSPRIT_SCREENSHOTS names: for those who change a view to look at. */
export async function screenshot(page: BrowserPage, name: string): Promise<void> {
  const folder = process.env.BOWSPRIT_SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
}
