import { sentJson } from '../../machinery/json/sent-json.ts'
import { StatusError } from '../../machinery/status-error.ts'

/**
 * The value of JSON that a server sent, as `sentJson` reads it.
 * @throws {StatusError} 500 when it is no JSON: a proxy's page, or half an answer
 */
export function answerJson(text: string, from: string): unknown {
  try {
    return sentJson(text)
  } catch (cause) {
    const seen = text.length > 100 ? `${text.slice(0, 100)}…` : text
    throw new StatusError({ code: 500, reason: 'InternalError', message: `${from} sent what is no JSON: ${seen}`, cause })
  }
}
