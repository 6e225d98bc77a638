import { decodeJson, encodeJson, JsonSyntaxError } from '../../machinery/json/strict-json.ts'
import { badRequest, internalError, StatusError } from '../../machinery/status-error.ts'
import { answerReview, type WebhookHandlers } from './answer-review.ts'

/**
 * The same webhook as `createWebhookServer`, for an existing server: a function from `Request` to `Response`. A program of a simulated
 * cluster passes it to `container.listen`.
 *
 * ```ts
 * const handle = webhookHandler({
 *   validate: ({ object }: AdmissionCall<ConfigMap>) => (object?.data?.color === 'grey' ? 'grey is not a color' : undefined),
 * })
 * ```
 */
export function webhookHandler(handlers: WebhookHandlers): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      if (request.method !== 'POST') throw new StatusError({ code: 405, reason: 'MethodNotAllowed', message: 'reviews are sent with POST' })
      const review = readJson(await request.text())
      return answer(200, encodeJson(await answerReview(new URL(request.url).pathname, review, handlers)))
    } catch (error) {
      const { status, code } = error instanceof StatusError ? error : internalError(error)
      return answer(code, encodeJson(status))
    }
  }
}

const answer = (status: number, body: string) => new Response(body, { status, headers: { 'content-type': 'application/json' } })

function readJson(text: string) {
  try {
    return decodeJson(Buffer.from(text)).value
  } catch (error) {
    throw error instanceof JsonSyntaxError ? badRequest(`the body is no JSON: ${error.message}`) : error
  }
}
