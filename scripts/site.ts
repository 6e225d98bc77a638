/**
 * `npm run site [-- FOLDER]`: the documentation as a static site with search, of the same files, in a folder (default:
 * `.cache/site/pages`). VitePress makes it; a link that leads nowhere fails the build. `npx serve FOLDER`, or any web server, shows it.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fetchedPackage } from './fetched-package.ts'
import { stageSources } from './site/stage-sources.ts'

const root = path.join(import.meta.dirname, '..')
const work = path.join(root, '.cache', 'site')
const to = path.resolve(process.argv[2] ?? path.join(work, 'pages'))
const sources = path.join(work, 'sources')

const vitepress = fetchedPackage('vitepress')
rmSync(sources, { recursive: true, force: true })
mkdirSync(path.join(sources, '.vitepress'), { recursive: true })
const sidebar = stageSources(root, sources)
// VitePress and its Vue are found from the sources up.
symlinkSync(path.join(vitepress, '..'), path.join(sources, 'node_modules'))
writeFileSync(path.join(sources, 'package.json'), '{ "private": true, "type": "module" }\n')
writeFileSync(path.join(sources, '.vitepress', 'config.mjs'), configuration(to))
const { status } = spawnSync(process.execPath, [path.join(vitepress, 'bin', 'vitepress.js'), 'build', sources], { stdio: 'inherit' })
if (status === 0) console.log(`the site is in ${to}`)
else process.exitCode = 1

function configuration(outDir: string): string {
  const config = {
    title: 'Bowsprit',
    description: 'A whole Kubernetes cluster in one npm package, for the people who extend Kubernetes',
    lang: 'en',
    outDir,
    cleanUrls: false,
    themeConfig: {
      search: { provider: 'local' },
      nav: [
        { text: 'Getting started', link: '/docs/getting-started' },
        { text: 'All pages', link: '/docs/' },
        { text: 'Changes', link: '/CHANGELOG' },
      ],
      sidebar,
      outline: [2, 3],
    },
    // Greys of the theme are below the contrast that WCAG asks for; the keys of the search are no part of its accessible name. A header row
    // without a word is not shown; tables of six columns fit.
    head: [
      [
        'style',
        {},
        ':root{--vp-c-text-2:#4b4b52;--vp-c-text-3:#5c5c66;--vp-c-brand-1:#2b3fa8} .dark{--vp-c-text-2:#c4c4cc;--vp-c-text-3:#a9a9b3;--vp-c-brand-1:#b6c0ff} .DocSearch-Button-Keys{display:none!important} .vp-doc thead:not(:has(th)){display:none} .vp-doc table th,.vp-doc table td{padding:6px 9px}',
      ],
    ],
  }
  return `const config = ${JSON.stringify(config, undefined, 2)}
// A heading without text is no heading to a screen reader.
const cell = (at) => (tokens, i, options, env, self) => {
  if (tokens[i + at].content === '') tokens[i].tag = 'td'
  return self.renderToken(tokens, i, options)
}
config.markdown = {
  theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  config: (md) => Object.assign(md.renderer.rules, { th_open: cell(1), th_close: cell(-1) }),
}
export default config
`
}
