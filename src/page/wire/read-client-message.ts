import type { ConflictChoice, Draft } from './draft-page.ts'
import type { BenchDraft } from './kind-bench.ts'
import type { LabAction } from './lab-page.ts'
import type { ClientMessage } from './messages.ts'
import type { CollectionName, ObjectName } from './object-name.ts'
import type { RowsQuery } from './row-page.ts'
import type { TerminalQuery, TerminalSize } from './streams.ts'

/** A message that the page would not send. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
  readonly code = 'malformed-message'
}

type Fields = Readonly<Record<string, unknown>>

/** The most rows of one window; a screen has some hundred. */
const MAX_ROWS = 500
const MAX_TEXT = 1_000
/** An object has at most 1.5 MiB, and its YAML some more. */
const MAX_DRAFT = 2 * 1024 * 1024
/** What is typed into a terminal at once: longer texts come in parts. */
const MAX_KEYS = 16 * 1024
/** Characters of a terminal's width and height. */
const MAX_SIZE = 1_000
const MAX_CHOICES = 1_000

/** Reads a message of the browser. @throws {MessageError} if it is none */
export function readClientMessage(text: string): ClientMessage {
  const message = fieldsOf(parse(text), 'the message')
  const id = wholeNumber(message.id, 'id')
  switch (message.type) {
    case 'rows':
      return { type: 'rows', id, query: rowsQuery(fieldsOf(message.query, 'query')), ...revisionOf(message) }
    case 'object':
    case 'relations':
      return { type: message.type, id, object: objectName(fieldsOf(message.object, 'object')), ...revisionOf(message) }
    case 'overview':
      return { type: 'overview', id, ...revisionOf(message) }
    case 'why':
    case 'machine':
      return { type: message.type, id, object: objectName(fieldsOf(message.object, 'object')) }
    case 'kinds':
    case 'cancel':
      return { type: message.type, id }
    case 'try':
    case 'change':
      return { type: message.type, id, object: objectName(fieldsOf(message.object, 'object')), change: words(message.change, 'change') }
    case 'logs':
      return { type: 'logs', id, ...streamOf(message), previous: message.previous === true }
    case 'terminal':
      return { type: 'terminal', id, query: terminalQuery(fieldsOf(message.query, 'query')) }
    case 'keys':
      return { type: 'keys', id, text: words(message.text, 'text', MAX_KEYS) }
    case 'resize':
      return { type: 'resize', id, size: terminalSize(fieldsOf(message.size, 'size')) }
    case 'bench':
      return { type: 'bench', id, draft: benchDraft(fieldsOf(message.draft, 'draft')) }
    case 'lab':
      return { type: 'lab', id, serial: wholeNumber(message.serial, 'serial') }
    case 'lab-call':
      return { type: 'lab-call', id, action: labAction(fieldsOf(message.action, 'action')) }
    case 'find':
      return { type: 'find', id, text: words(message.text, 'text'), ...revisionOf(message) }
    case 'draft':
    case 'save':
      return { type: message.type, id, draft: draft(fieldsOf(message.draft, 'draft')) }
    default:
      throw new MessageError('the type of the message is not known')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new MessageError('the message is not JSON', { cause })
  }
}

function rowsQuery(query: Fields): RowsQuery {
  return {
    ...collectionName(query),
    namespace: segment(query.namespace, 'namespace'),
    labelSelector: words(query.labelSelector, 'labelSelector'),
    fieldSelector: words(query.fieldSelector, 'fieldSelector'),
    filter: words(query.filter, 'filter'),
    sort: query.sort === -1 ? -1 : wholeNumber(query.sort, 'sort'),
    descending: query.descending === true,
    from: wholeNumber(query.from, 'from'),
    count: Math.min(wholeNumber(query.count, 'count'), MAX_ROWS),
  }
}

/** Digits; `0` would be any revision. */
const REVISION = /^[1-9]\d{0,19}$/

function revisionOf({ at }: Fields): { readonly at?: string } {
  if (at === undefined) return {}
  const text = words(at, 'at')
  if (!REVISION.test(text)) throw new MessageError('at is not a revision')
  return { at: text }
}

const collectionName = (of: Fields): CollectionName => ({
  group: segment(of.group, 'group'),
  version: segment(of.version, 'version'),
  resource: segment(of.resource, 'resource'),
})

const objectName = (of: Fields): ObjectName => ({
  ...collectionName(of),
  namespace: segment(of.namespace, 'namespace'),
  name: segment(of.name, 'name'),
})

const streamOf = (of: Fields) => ({ object: objectName(fieldsOf(of.object, 'object')), container: segment(of.container, 'container') })

const terminalQuery = (of: Fields): TerminalQuery => ({
  ...streamOf(of),
  command: of.command === 'attach' ? 'attach' : 'shell',
  size: terminalSize(fieldsOf(of.size, 'size')),
})

const terminalSize = ({ width, height }: Fields): TerminalSize => ({
  width: Math.min(wholeNumber(width, 'width'), MAX_SIZE),
  height: Math.min(wholeNumber(height, 'height'), MAX_SIZE),
})

const benchDraft = (of: Fields): BenchDraft => ({
  definition: segment(of.definition, 'definition'),
  text: words(of.text, 'text', MAX_DRAFT),
  schema: words(of.schema, 'schema', MAX_DRAFT),
  serial: wholeNumber(of.serial, 'serial'),
})

const draft = (of: Fields): Draft => ({
  ...objectName(of),
  base: words(of.base, 'base', MAX_DRAFT),
  text: words(of.text, 'text', MAX_DRAFT),
  choices: choices(of.choices),
  serial: wholeNumber(of.serial, 'serial'),
})

/** A virtual clock is advanced by a month at most: everything that is due meanwhile happens. */
const MAX_ADVANCE_MS = 31 * 86_400_000

function labAction({ kind, name, ms }: Fields): LabAction {
  switch (kind) {
    case 'fork':
    case 'snapshot':
      return { kind }
    case 'drop':
      return { kind, name: words(name, 'name') }
    case 'advance':
      return { kind, ms: Math.min(wholeNumber(ms, 'ms'), MAX_ADVANCE_MS) }
    default:
      throw new MessageError('the action is not known')
  }
}

function choices(value: unknown): readonly ConflictChoice[] {
  if (!Array.isArray(value) || value.length > MAX_CHOICES) throw new MessageError('choices are no short list')
  return value.map((choice) => {
    const { id, keep } = fieldsOf(choice, 'choice')
    return { id: words(id, 'id'), keep: keep === 'theirs' ? 'theirs' : 'mine' }
  })
}

function fieldsOf(value: unknown, what: string): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new MessageError(`${what} is not an object`)
  return value as Fields
}

function wholeNumber(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new MessageError(`${what} is not a whole number`)
  return value
}

function words(value: unknown, what: string, most: number = MAX_TEXT): string {
  if (typeof value !== 'string' || value.length > most) throw new MessageError(`${what} is not a short text`)
  return value
}

/** A part of a path: names of objects have neither slashes nor percent signs, and are not dots (Kubernetes' `ValidatePathSegmentName`). */
function segment(value: unknown, what: string): string {
  const text = words(value, what)
  if (text === '.' || text === '..' || /[/%]/.test(text)) throw new MessageError(`${what} is not a name`)
  return text
}
