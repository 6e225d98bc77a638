import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A part of the sidebar. */
export interface SidebarGroup {
  readonly text: string
  readonly items: readonly { readonly text: string; readonly link: string }[]
}

/** The pages: all of these, under the same paths. */
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'STYLE.md', 'docs/**/*.md']
const LINK = /(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g

/**
 * Writes the pages as a site generator takes them: `README.md` is the index of its folder; files that are no pages lie in `public`. Returns
 * the sidebar, which is the index of the documentation.
 */
export function stageSources(root: string, to: string): readonly SidebarGroup[] {
  for (const page of globSync(PAGES, { cwd: root })) {
    const file = path.join(to, staged(page))
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(
      file,
      prose(readFileSync(path.join(root, page), 'utf8'), (text) => withLinks(text, { root, to, page })),
    )
  }
  cpSync(path.join(root, 'docs', 'images'), path.join(to, 'docs', 'images'), { recursive: true })
  return sidebarOf(readFileSync(path.join(root, 'docs', 'README.md'), 'utf8'))
}

const staged = (page: string) => page.replace(/README\.md$/, 'index.md')

/** Changes what is outside of fenced code. */
function prose(text: string, change: (text: string) => string): string {
  return text
    .split(/^(```[\s\S]*?^```.*$)/m)
    .map((part, i) => (i % 2 === 1 ? part : change(part)))
    .join('')
}

interface Page {
  readonly root: string
  readonly to: string
  readonly page: string
}

/** Links to pages follow their new names; those to other files lead to copies of them, those to folders are text. */
function withLinks(text: string, { root, to, page }: Page): string {
  return text.replace(LINK, (whole, label: string, target: string) => {
    if (/^(https?:|mailto:|#)/.test(target)) return whole
    const [file = '', anchor] = target.split('#')
    const inRepository = path.join(path.dirname(page), file)
    const source = path.join(root, inRepository)
    if (!existsSync(source)) throw new Error(`${page}: the link to ${target} leads nowhere`)
    if (statSync(source).isDirectory()) return label
    if (PAGES.some((pattern) => path.matchesGlob(inRepository, pattern)))
      return `[${label}](${staged(file)}${anchor === undefined ? '' : `#${anchor}`})`
    const copy = path.join(to, 'public', 'files', inRepository)
    mkdirSync(path.dirname(copy), { recursive: true })
    cpSync(source, copy)
    return `<a href="/files/${inRepository}" target="_self">${label}</a>`
  })
}

/** A page beside the index, or below it. */
const DOCS_PAGE = /^(?!\.\.\/).*\.md(#.*)?$/

/** One group for each heading of the index, with the pages that its section names. */
function sidebarOf(index: string): readonly SidebarGroup[] {
  const [, ...sections] = index.split(/^## /m)
  const start = {
    text: 'Start',
    items: [
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'All pages', link: '/docs/' },
    ],
  }
  return [
    start,
    ...sections.map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(LINK)]
        .filter(([, , target = '']) => DOCS_PAGE.test(target))
        .map(([, text = '', target = '']) => ({
          text: text.replaceAll('`', ''),
          link: `/docs/${target.replace(/\.md(#.*)?$/, '$1')}`,
        })),
    })),
  ]
}
