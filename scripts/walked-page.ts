/** Pages of `docs/` whose commands can be run: the tour prints them, tests compare their output. */
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { kubectlPath } from './clients.ts'

const root = path.join(import.meta.dirname, '..')

/** A command of a page, and its expected output. */
export interface PageStep {
  readonly script: string
  readonly shown: string
}

/** A section of a page: its heading, and its text and commands in order. */
export interface PageSection {
  readonly heading: string
  readonly parts: readonly (string | PageStep)[]
}

const STEP = /^```sh run\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm

const readPage = (page: string) => readFileSync(path.join(root, 'docs', page), 'utf8')

/** The commands of a page (`sh run`), each with the output below it. */
export function pageSteps(page: string): PageStep[] {
  return [...readPage(page).matchAll(STEP)].map(([, script = '', shown = '']) => ({ script, shown }))
}

/** The sections of a page that have commands. */
export function pageSections(page: string): PageSection[] {
  const [, ...sections] = readPage(page).split(/^## /m)
  return sections.map(sectionOf).filter(({ parts }) => parts.some((part) => typeof part !== 'string'))
}

function sectionOf(text: string): PageSection {
  const end = text.indexOf('\n')
  const parts: (string | PageStep)[] = []
  let at = end
  for (const found of text.matchAll(STEP)) {
    const [all, script = '', shown = ''] = found
    parts.push(text.slice(at, found.index).trim(), { script, shown })
    at = found.index + all.length
  }
  parts.push(text.slice(at).trim())
  return { heading: text.slice(0, end), parts: parts.filter((part) => part !== '') }
}

/** Removes what differs from run to run; columns are separated by two blanks. */
export const stableOutput = (text: string): string =>
  text
    .replaceAll(/\bweb-[a-z0-9]+-[a-z0-9]{5}\b/g, 'web-POD')
    .replaceAll(/^(bowsprit )\S+(.*node )\S+/gm, '$1VERSION$2VERSION)')
    .replaceAll(/\bpvc-[0-9a-f-]{36}/g, 'VOLUME')
    .replaceAll(/^\/\S+(?=\/kubectl-)/gm, 'FOLDER')
    .replaceAll(/(?<= {2})\d+[ms](\d+s)?$/gm, 'AGE')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
    .replaceAll(/(?<=https:\/\/127\.0\.0\.1:)\d+/g, 'PORT')
    .replaceAll(/\(\d+\.\d s\)$/gm, '(SECONDS)')
    .replaceAll(/ +$/gm, '')
    .replaceAll(/ {2,}/g, '  ')
    .trim()

/** Puts kubectl, its plugin, `bowsprit` and `node` into a folder, as an installation has them. Returns the environment of its user. */
export function installPrograms(folder: string): Readonly<Record<string, string>> {
  symlinkSync(kubectlPath('36'), path.join(folder, 'kubectl'))
  const main = path.join(root, 'src', 'cli', 'main.ts')
  for (const name of ['kubectl-bowsprit', 'bowsprit']) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${main}' "$@"\n`)
    chmodSync(path.join(folder, name), 0o755)
  }
  symlinkSync(process.execPath, path.join(folder, 'node'))
  return { HOME: folder, XDG_DATA_HOME: '', PATH: `${folder}:/usr/bin:/bin` }
}
