import { sentJson } from '../../machinery/json/sent-json.ts'
import { StatusError } from '../../machinery/status-error.ts'

/**
 * Parses the JSON of a response, as `sentJson` does.
 * @throws {StatusError} 500 if it is not JSON: a proxy's page, or half a response
 */
export function answerJson(text: string, from: string): unknown {
  try {
    return sentJson(text)
  } catch (cause) {
    const seen = text.length > 100 ? `${text.slice(0, 100)}…` : text
    throw new StatusError({ code: 500, reason: 'InternalError', message: `${from} sent what is no JSON: ${seen}`, cause })
  }
}
