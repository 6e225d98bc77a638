import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../base/make-folder.ts'
import { pluralOf } from '../sdk/kinds/plural-of.ts'

/** A project to be made: an operator in TypeScript for one kind. */
export interface OperatorProject {
  /** New, or empty; its last part is the project's name. */
  readonly folder: string
  /** In CamelCase: `Gadget`. */
  readonly kind: string
  /** A domain: `example.com`. */
  readonly group: string
  /** The dependency on bowsprit: a version range, or the path of a tarball (`*.tgz`). */
  readonly bowsprit: string
}

/** Why no project can be made of these values; nothing was written. */
export class CreateOperatorError extends Error {
  override readonly name = 'CreateOperatorError'
}

/** Files of the template whose own names npm leaves out of a package, or reads itself. */
const NAMES: Readonly<Record<string, string>> = {
  _gitignore: '.gitignore',
  '_package.json': 'package.json',
  '_tsconfig.json': 'tsconfig.json',
}

/** Writes the project from the template. @throws {CreateOperatorError} */
export function createOperator(project: OperatorProject, template: string): void {
  const fill = filling(project)
  for (const file of globSync('**/*', { cwd: template, withFileTypes: true })) {
    if (!file.isFile()) continue
    const from = path.join(file.parentPath, file.name)
    const folder = path.relative(template, file.parentPath)
    const to = path.join(project.folder, folder, fill(NAMES[file.name] ?? file.name))
    makeFolder(path.dirname(to))
    writeFileSync(to, fill(readFileSync(from, 'utf8')))
  }
}

/** The template is a program for the kind `Gadget` of `example.com`: these words are replaced. */
function filling({ folder, kind, group, bowsprit }: OperatorProject): (text: string) => string {
  const name = path.basename(path.resolve(folder)).toLowerCase()
  check({ folder, name, kind, group })
  const dependency = dependencyOf(bowsprit, folder)
  return (text) =>
    text
      .replaceAll('PROJECT_NAME', name)
      .replaceAll('BOWSPRIT_VERSION', dependency)
      .replaceAll('example.com', group)
      .replaceAll('gadgets', pluralOf(kind))
      .replaceAll('Gadget', kind)
      .replaceAll('gadget', kind.toLowerCase())
}

const NAME = /^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/
const KIND = /^[A-Z][A-Za-z0-9]{0,50}$/
const GROUP = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/

function check({ folder, name, kind, group }: Record<'folder' | 'name' | 'kind' | 'group', string>): void {
  const wrong =
    (!NAME.test(name) && `folder: ${JSON.stringify(name)} is not a project name: use small letters, digits and -`) ||
    (!KIND.test(kind) && `--kind: ${kind} is not a kind: use a word in CamelCase, such as Gadget`) ||
    (!GROUP.test(group) && `--group: ${group} is not an API group: use a domain, such as example.com`) ||
    (existsSync(folder) && readdirSync(folder).length > 0 && `folder: ${folder} is not empty: name a new one`)
  if (wrong) throw new CreateOperatorError(wrong)
}

/** A tarball is named relative to the project, so that both can be moved together. */
function dependencyOf(bowsprit: string, folder: string): string {
  if (!bowsprit.endsWith('.tgz')) return bowsprit
  if (!existsSync(bowsprit)) throw new CreateOperatorError(`--bowsprit: there is no file ${bowsprit}`)
  return `file:${path.relative(path.resolve(folder), path.resolve(bowsprit))}`
}
