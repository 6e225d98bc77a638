import { decodeJson, hasEscapedKey } from '../../machinery/json/strict-json.ts'
import { StatusError } from '../../machinery/status-error.ts'

/**
 * The value of JSON that a server sent. Integers that a double cannot hold become `bigint`, as in process; the strict reader is called only where
 * there may be one, for it costs more.
 * @throws {StatusError} 500 when it is no JSON: a proxy's page, or half an answer
 */
export function answerJson(text: string, from: string): unknown {
  try {
    return LONG_NUMBER.test(text) || hasEscapedKey(text) ? decodeJson(text).value : JSON.parse(text)
  } catch (cause) {
    const seen = text.length > 100 ? `${text.slice(0, 100)}…` : text
    throw new StatusError({ code: 500, reason: 'InternalError', message: `${from} sent what is no JSON: ${seen}`, cause })
  }
}

const LONG_NUMBER = /\d{16}/
