import { messageOf } from '../../../base/message-of.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { lineMap } from '../../../machinery/yaml/line-map.ts'
import { decodeYaml, YamlError } from '../../../machinery/yaml/yaml.ts'
import type { DraftFault } from '../../wire/draft-page.ts'
import { shownText } from '../../wire/shown-text.ts'

/** What a text holds, or what is wrong with it. */
export type ReadText =
  | { readonly kind: 'object'; readonly object: JsonObject }
  | { readonly kind: 'faulty'; readonly faults: readonly DraftFault[] }

const faulty = (faults: readonly DraftFault[]): ReadText => ({ kind: 'faulty', faults })

/** Reads the text of an object. */
export function readText(text: string): ReadText {
  try {
    const { value, strictError } = decodeYaml(text)
    if (strictError !== '') return faulty(repeatedKeys(strictError))
    return isObject(value) ? { kind: 'object', object: value } : faulty([{ line: 1, message: 'this is not an object' }])
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    return faulty([{ line: error.line ?? 0, message: shownText(error.message.replace(/^yaml: (line \d+: )?/, '')) }])
  }
}

const repeatedKeys = (strictError: string): readonly DraftFault[] =>
  [...strictError.matchAll(/line (\d+): (.*)/g)].map(([, line, message = '']) => ({ line: Number(line), message: shownText(message) }))

/** Fields in the messages of strict decoding, and of values of a wrong type. */
const UNKNOWN_FIELD = /(?<message>(?:unknown|duplicate) field) "(?<field>[^"]+)"/g
const WRONG_TYPE = /cannot unmarshal (?<message>\S+ into Go) struct field \w+\.(?<field>\S+) of type (?<type>\S+)/g

/** Why the server refuses an object, at the lines of the text. */
export function faultsOf(error: unknown, text: string): readonly DraftFault[] {
  const message = shownText(messageOf(error))
  const fields = isStatus(error) ? [...causesOf(error), ...fieldsNamed(error.message)] : []
  if (fields.length === 0) return [{ line: 0, message }]
  const lines = lineMap({ text, firstLine: 1 })
  return fields.map((fault) => ({ line: lines.lineOf(fault.field), message: shownText(fault.message) }))
}

interface FieldFault {
  readonly field: string
  readonly message: string
}

const causesOf = ({ status }: { readonly status: { readonly details?: { readonly causes?: readonly Partial<FieldFault>[] } } }) =>
  (status.details?.causes ?? []).flatMap(({ field = '', message = '' }) =>
    field === '' || field.startsWith('<') ? [] : [{ field, message: `${field}: ${message}` }],
  )

function fieldsNamed(message: string): readonly FieldFault[] {
  const unknown = [...message.matchAll(UNKNOWN_FIELD)].map(({ groups }) => ({
    field: groups?.field ?? '',
    message: `${groups?.message} ${groups?.field}`,
  }))
  const wrong = [...message.matchAll(WRONG_TYPE)].map(({ groups }) => ({
    field: groups?.field ?? '',
    message: `${groups?.field} is of type ${groups?.type}`,
  }))
  return [...unknown, ...wrong]
}
