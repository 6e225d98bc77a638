/** The messages that commands can end with, and those that a cluster logs, as the sources have them. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Where errors are made that end a command. */
const FOLDERS = '{cli,cluster,tools,sdk/client,storage/file,storage/sqlite,storage/snapshot}'
const CLASSES = 'Usage|Config|Kubeconfig|Assets|Certificates|Snapshot|CreateOperator|Migration|Store'
/** An error with its message, which may be its second argument behind a code. */
const CREATED = new RegExp(
  String.raw`new (${CLASSES}|)Error\(\s*(?:'[\w-]+',\s*)?(${'`'}(?:[^${'`'}\\]|\\.)*${'`'}|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`,
  'g',
)

/** Parts whose log lines are explained on the page: what an operator of a cluster or of a server sees. */
const LOGGING = '{cluster,server,storage,apiserver}'
const LOGGED = /\blog\.(?:warn|error)\((`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*')/g

/** Each message once; `…` is what differs. Those that begin with an option name their own mend. */
export function userMessages(root: string): readonly string[] {
  const files = globSync(`src/${FOLDERS}/**/*.ts`, { cwd: root }).filter((file) => !isTest(file))
  return [...new Set(files.flatMap((file) => messagesIn(readFileSync(path.join(root, file), 'utf8'), isCommand(file))))].sort()
}

const isTest = (file: string) => /\.(test|double|contract)\.ts$/.test(file)

/** Elsewhere an `Error` without a class is a fault inside. */
const isCommand = (file: string) => /^src.(cli|tools)/.test(file)

/** The messages of the errors in a source. */
export const messagesIn = (source: string, ofCommand: boolean): readonly string[] =>
  [...source.matchAll(CREATED)]
    .filter(([, kind]) => ofCommand || kind !== '')
    .map(([, , literal = '']) => withoutValues(literal.slice(1, -1)))
    .filter(needsARow)

const needsARow = (text: string) => /[a-z]{2}/.test(text) && !/^(--|invariant:)/.test(text)

/** The text of a template with `…` for each value. */
function withoutValues(template: string): string {
  let text = ''
  let depth = 0
  for (const part of template.split(/(\$?\{|\})/)) {
    if (part === '${' && depth === 0) text += '…'
    if (part.endsWith('{') && (depth > 0 || part === '${')) depth += 1
    else if (part === '}' && depth > 0) depth -= 1
    else if (depth === 0) text += part
  }
  return text.replaceAll(/\\(.)/g, '$1')
}

/** Each message that these parts log as a warning or an error, once. */
export function loggedMessages(root: string): readonly string[] {
  const files = globSync(`src/${LOGGING}/**/*.ts`, { cwd: root }).filter((file) => !isTest(file))
  const found = files.flatMap((file) => [...readFileSync(path.join(root, file), 'utf8').matchAll(LOGGED)])
  return [...new Set(found.map(([, literal = '']) => withoutValues(literal.slice(1, -1))))].sort()
}
